/** Writes the pictures of `docs/pages.md`, and the times of its tasks. `--all FOLDER` writes every page in every window. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Page } from "playwright-core"
import sharp from "sharp"
import { TestBrowser } from "../../test/e2e/console/given-console.ts"
import { DemoData } from "../../test/e2e/pages/demo-data.ts"
import { type SitePage, sitePages } from "../../test/e2e/pages/site-pages.ts"
import { tasks } from "../../test/e2e/pages/tasks.ts"
import { openWindow, type WindowName, windows } from "../../test/e2e/pages/windows.ts"
import { fileOf, pictures } from "./pictures.ts"
import { writePage } from "./write-page.ts"

/** The part of a long page that a picture shows, in pixels from the top. */
const MAX_HEIGHT = { wide: 1_250, phone: 1_700 } as const

const store = async (page: Page, maxHeight: number, file: string) => {
  const { height, width } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight
  }))
  const png = await page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, maxHeight) }
  })
  await sharp(png).webp({ quality: 80, effort: 6 }).toFile(file)
}

/** Writes the chosen pages of each window into a folder. */
const write = Effect.fnUntraced(function* (
  folder: string,
  chosen: (pages: ReadonlyArray<SitePage>, window: WindowName) => ReadonlyArray<SitePage>
) {
  mkdirSync(folder, { recursive: true })
  const pages = sitePages(yield* DemoData)
  for (const window of windows) {
    const shown = chosen(pages, window.name)
    if (shown.length === 0) continue
    yield* Effect.scoped(Effect.gen(function* () {
      const { show } = yield* openWindow(window)
      for (const sitePage of shown) {
        yield* Effect.scoped(Effect.gen(function* () {
          const { page } = yield* show(sitePage)
          const maxHeight = window.viewport.width < 500 ? MAX_HEIGHT.phone : MAX_HEIGHT.wide
          yield* Effect.promise(() => store(page, maxHeight, join(folder, fileOf(sitePage.name, window.name))))
        }))
      }
    }))
  }
})

const { values: { all } } = parseArgs({ options: { all: { type: "string" } } })
const folder = fileURLToPath(new URL("../../docs/images/pages/", import.meta.url))

const writeDocs = Effect.gen(function* () {
  rmSync(folder, { recursive: true, force: true })
  // Before the pictures, whose checks of slips add to the data.
  writePage(yield* Effect.all(tasks.map(Effect.scoped)))
  yield* write(
    folder,
    (pages, window) =>
      pages.filter(({ name }) => pictures.some((picture) => picture.page === name && picture.window === window))
  )
})

const program = all === undefined ? writeDocs : write(all, (pages) => pages)

NodeRuntime.runMain(program.pipe(Effect.provide(Layer.merge(DemoData.layer, TestBrowser.layer))))
