import { Effect, type Scope } from "effect"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

/** What a page did beside showing itself. */
export interface Seen {
  /** URLs that it asked for, in their order. */
  readonly requests: ReadonlyArray<string>
  /** Requests that came to nothing, errors, and whatever it wrote to the console. */
  readonly trouble: ReadonlyArray<string>
}

export interface Visit extends Seen {
  readonly page: Page
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const programs = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
  (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name))
)

const launch = async (): Promise<Browser> => {
  const executablePath = programs.find(isProgram)
  if (executablePath === undefined) throw new Error("these tests need chromium (apt-get install chromium)")
  // There is no world but this machine: no name resolves.
  return chromium.launch({ executablePath, args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"] })
}

/** A real Chromium of this machine, without a window and without the network; it goes with the scope. */
export const startBrowser: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(launch),
  (browser) => Effect.promise(() => browser.close())
)

/** Writes down what a page does from now on. */
export const watch = (page: Page): Seen => {
  const requests: Array<string> = []
  const trouble: Array<string> = []
  page.on("request", (request) => requests.push(request.url()))
  page.on("requestfailed", (request) => trouble.push(`failed: ${request.url()}`))
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`))
  page.on("console", (message) => trouble.push(`${message.type()}: ${message.text()}`))
  return { requests, trouble }
}

/** Opens a page, in a window of this size, and writes down what it does. */
export const visit = (browser: Browser, url: string, viewport: { readonly width: number; readonly height: number }) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Visit> => {
      const page = await browser.newPage({ viewport })
      const seen = watch(page)
      await page.goto(url)
      return { page, ...seen }
    }),
    ({ page }) => Effect.promise(() => page.close())
  )
