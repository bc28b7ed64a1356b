// Runs a kernel of a pack on the CPU: rustc main.rs -L lib -l tessera_pack && ./main demo.tpack
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr;

#[repr(C)]
struct Place {
    device: *const c_char, // null: the CPU
    stream: *mut c_void,
    threads: u32,
}

extern "C" {
    fn tessera_pack_open(path: *const c_char, key: *const u8, pack: *mut *mut c_void) -> i32;
    fn tessera_pack_launch(
        pack: *mut c_void, kernel: *const c_char, grid: *const u32, values: *const *const c_void, count: u32,
        place: *const Place,
    ) -> i32;
    fn tessera_pack_last_error() -> *const c_char;
    fn tessera_pack_close(pack: *mut c_void);
}

fn check(status: i32) {
    if status != 0 {
        let text = unsafe { CStr::from_ptr(tessera_pack_last_error()) };
        eprintln!("{}", text.to_string_lossy());
        std::process::exit(1);
    }
}

fn main() {
    let path = CString::new(std::env::args().nth(1).expect("usage: main PACK")).unwrap();
    let kernel = CString::new("add").unwrap();
    let n: i32 = 10000;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| 2.0 * i as f32).collect();
    let mut sum = vec![0f32; n as usize];
    let (px, py, ps) = (x.as_ptr(), y.as_ptr(), sum.as_mut_ptr());
    let values: [*const c_void; 5] = [
        &px as *const _ as *const c_void, &py as *const _ as *const c_void, &ps as *const _ as *const c_void,
        &n as *const _ as *const c_void, ptr::null(),
    ];
    let place = Place { device: ptr::null(), stream: ptr::null_mut(), threads: 0 };
    let grid = [(n as u32 + 1023) / 1024, 1, 1];
    unsafe {
        let mut pack = ptr::null_mut();
        check(tessera_pack_open(path.as_ptr(), ptr::null(), &mut pack));
        check(tessera_pack_launch(pack, kernel.as_ptr(), grid.as_ptr(), values.as_ptr(), 5, &place));
        tessera_pack_close(pack);
    }
    let wrong = (0..n as usize).filter(|&i| sum[i] != 3.0 * i as f32).count();
    println!("add on cpu: {} of {} are wrong", wrong, n);
}
