import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { siteBases } from "../../../../infrastructure/web/docs/site-files.ts"
import { loadSite } from "../../../../infrastructure/web/docs/site.ts"
import { renderSite, writeSites } from "../../../../tools/docs-site/render.ts"

describe("the documentation", () => {
  it("is the same from the folder of the image and from a thread that renders it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "docs-site-"))
    try {
      assert.strictEqual(writeSites(folder), siteBases.flatMap(renderSite).length)
      for (const base of siteBases) {
        const [read, rendered] = [await loadSite(base, folder), await loadSite(base, join(folder, "missing"))]
        for (const { path } of renderSite(base)) {
          const page = path.replace(/\/index\.html$/u, "")
          assert.deepStrictEqual(read.page(page)?.digest, rendered.page(page)?.digest, path)
          assert.deepStrictEqual(read.asset(path)?.digest, rendered.asset(path)?.digest, path)
          assert.strictEqual(read.asset(path)?.contentType, rendered.asset(path)?.contentType, path)
        }
        assert.match(read.page(base)?.contentType ?? "", /^text\/html/u)
        assert.isUndefined(read.page(`${base}/search.en.template`))
        assert.isUndefined(read.asset(`${base}/not-found.template`))
        assert.strictEqual(read.search("<!-- results -->", "th").html, rendered.search("<!-- results -->", "th").html)
        assert.strictEqual(read.notFound.html, rendered.notFound.html)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
