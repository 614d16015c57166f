import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Workers are processes: threads crash on Deno, and a test that breaks its process breaks no other file's.
    pool: "forks",
    maxWorkers: "100%",
    // A test that passes at the second try has failed.
    retry: 0,
    allowOnly: false,
    testTimeout: 30_000,
    hookTimeout: 30_000
  }
})
