/* ---- all kernels ---- */
int32_t LIBRARY_load(void) {
#if TESSERA_RT_HAS_GPU
  unsigned i;
  for (i = 0; tessera_rt_variants[i]; ++i) {
    int32_t status = TESSERA_KERNEL_OK;
    if (tessera_rt_variants[i]->count)
      status = tessera_rt_load_variant(tessera_rt_variants[i]);
    if (status != TESSERA_KERNEL_OK)
      return status;
  }
#endif
  return TESSERA_KERNEL_OK;
}

void LIBRARY_unload(void) {
#if TESSERA_RT_HAS_GPU
  unsigned i;
  for (i = 0; tessera_rt_variants[i]; ++i)
    tessera_rt_unload_variant(tessera_rt_variants[i]);
#endif
}
