// Adds vectors on the CPU with a kernel of ../kernels.toml.
use std::ffi::{c_char, c_void, CStr};

const ON_CPU: *mut c_void = -1isize as *mut c_void; // TESSERA_ON_CPU

// What demo.h declares.
extern "C" {
    fn demo_last_error() -> *const c_char;
    fn add(stream: *mut c_void, x: *const f32, y: *const f32, output: *mut f32, n: i32) -> i32;
    fn softmax(stream: *mut c_void, output: *mut f32, input: *const f32, output_stride: i32,
               input_stride: i32, rows: i32, columns: i32) -> i32;
}

fn check(status: i32) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(demo_last_error()) }.to_string_lossy().into_owned())
}

fn main() -> Result<(), String> {
    let x: Vec<f32> = (0..98432).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..98432).map(|i| (i % 7) as f32 / 8.0).collect();
    let mut sum = vec![0f32; x.len()];
    check(unsafe { add(ON_CPU, x.as_ptr(), y.as_ptr(), sum.as_mut_ptr(), x.len() as i32) })?;
    for i in 0..x.len() {
        if sum[i] != x[i] + y[i] {
            return Err(format!("sum[{i}] is {}", sum[i]));
        }
    }
    println!("add: {} sums are right", sum.len());
    let refused = check(unsafe { softmax(ON_CPU, sum.as_mut_ptr(), x.as_ptr(), 9000, 9000, 1, 9000) });
    println!("{:.48}", refused.unwrap_err());
    Ok(())
}
