import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["test/domain/**/*.test.ts", "test/projections/**/*.test.ts"], testTimeout: 30_000 }
})
