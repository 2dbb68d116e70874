/* Says that it is an LLVM of another version, by the one function that exists for that. */
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch) {
  *major = 99;
  *minor = 3;
  *patch = 7;
}
