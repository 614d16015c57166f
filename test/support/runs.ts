/** `TEST_RUNS=nightly` repeats a property as often as `.ci/nightly` does; otherwise as often as a push allows. */
export const runs = (push: number, nightly = 10 * push): number =>
  process.env["TEST_RUNS"] === "nightly" ? nightly : push
