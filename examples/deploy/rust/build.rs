// Builds the library of kernels, and tells cargo how to link it and what it depends on.
use std::{env, path::Path, process::Command};

fn main() {
    let tessera = env::var("TESSERA").unwrap_or("tessera".to_string());
    let out = env::var("OUT_DIR").unwrap();
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../kernels.toml");
    let status = Command::new(&tessera)
        .args(["build", manifest.to_str().unwrap(), "-o", &out, "--quiet"])
        .status()
        .unwrap_or_else(|error| panic!("cannot run '{tessera}': {error}; set TESSERA"));
    assert!(status.success(), "tessera build failed");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=demo");
    for library in ["m", "dl", "pthread"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    println!("cargo:rerun-if-env-changed=TESSERA");
    // demo.d lists the manifest and the Python files: "libdemo.a: \\\n  path \\\n  path".
    let files = std::fs::read_to_string(Path::new(&out).join("demo.d")).unwrap();
    for file in files.split_whitespace().skip(1).filter(|word| *word != "\\") {
        println!("cargo:rerun-if-changed={file}");
    }
}
