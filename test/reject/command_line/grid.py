# Grids: one to three numbers.
# % add() { tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --device cpu --threads 2 "$@" \
# %   --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64; }
# $ add
# | tessera: error: --grid: say how many programs to run, as in --grid 96 or --grid 64,4,1
# = 2
# $ add --grid ""
# | tessera: error: --grid: '' is not one to three numbers such as 1024 or 1024,8,1
# = 2
# $ add --grid one
# | tessera: error: --grid: 'one' is not a number of programs
# = 2
# $ add --grid -1
# | tessera: error: --grid: '-1' is not a number of programs
# = 2
# $ add --grid=-1
# | tessera: error: --grid: '-1' is not a number of programs
# = 2
# $ add --grid 1.5
# | tessera: error: --grid: '1.5' is not a number of programs
# = 2
# $ add --grid 1,2,3,4
# | tessera: error: --grid: '1,2,3,4' is not one to three numbers such as 1024 or 1024,8,1
# = 2
# $ add --grid 1,,3
# | tessera: error: --grid: '' is not a number of programs
# = 2
# $ add --grid 1x2
# | tessera: error: --grid: '1x2' is not a number of programs
# = 2
# $ add --grid 4294967296
# | tessera: error: --grid: 4294967296 programs along x are too many: the limit is 2147483647
# = 2
# $ add --grid 99999999999999999999999
# | tessera: error: --grid: 99999999999999999999999 programs along x are too many: the limit is 2147483647
# = 2
# $ add --grid 1,65536
# | add_kernel: grid (1, 65536, 1) on PROCESSOR, 2 threads
# = 0

# A zero extent runs nothing, and is no error.
# $ add --grid 0
# | add_kernel: grid (0, 1, 1) on PROCESSOR, 2 threads
# = 0
