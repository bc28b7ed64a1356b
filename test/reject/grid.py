# Grids: one to three numbers.
# % add() { tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --device cpu "$@" \
# %   --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64; }
# $ add
# $ add --grid ""
# $ add --grid one
# $ add --grid -1
# $ add --grid=-1
# $ add --grid 1.5
# $ add --grid 1,2,3,4
# $ add --grid 1,,3
# $ add --grid 1x2
# $ add --grid 4294967296
# $ add --grid 99999999999999999999999
# $ add --grid 1,65536
# $ add --grid 2147483647,65535,65535

# A zero extent runs nothing, and is no error.
# $ add --grid 0
