# Grids: one to three numbers.
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid "" --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid one --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid -1 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid=-1 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1.5 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1,2,3,4 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1,,3 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1x2 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 4294967296 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 99999999999999999999999 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1,65536 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 2147483647,65535,65535 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu

# A zero extent runs nothing, and is no error.
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 0 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 --device cpu
