import { Effect, type Scope } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { requireProgram } from "./require-program.ts"

/** The requests and the errors of a page. */
export interface PageLog {
  /** Requested URLs, in order. */
  readonly requests: ReadonlyArray<string>
  /** Failed requests, script errors and messages in the browser's console. */
  readonly problems: ReadonlyArray<string>
}

export interface OpenPage extends PageLog {
  readonly page: Page
}

const launch = async (options: ReadonlyArray<string>): Promise<Browser> => {
  const executablePath = requireProgram("chromium")
  // No host name resolves: tests use loopback addresses only.
  return chromium.launch({
    executablePath,
    // The limit of the test is the only one.
    timeout: 0,
    args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", ...options]
  })
}

/** Starts a headless Chromium with further options of its command line; it closes with the scope. */
export const startBrowserWith = (...options: ReadonlyArray<string>): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => launch(options)),
    (browser) => Effect.promise(() => browser.close())
  )

/** Starts a headless Chromium without network access; it closes with the scope. */
export const startBrowser: Effect.Effect<Browser, never, Scope.Scope> = startBrowserWith()

/** Records the requests and errors of a page from now on. */
export const recordPage = (page: Page): PageLog => {
  const requests: Array<string> = []
  const problems: Array<string> = []
  page.on("request", (request) => requests.push(request.url()))
  page.on("requestfailed", (request) => problems.push(`failed: ${request.url()}`))
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`))
  return { requests, problems }
}

/** The sizes of a computer's and a phone's window. */
export const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** Opens a window with its own cookies, which closes with the scope. */
export const newWindow = (
  browser: Browser,
  options: BrowserContextOptions
): Effect.Effect<BrowserContext, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(0)
      return context
    }),
    (context) => Effect.promise(() => context.close())
  )

/** Signs a window in to the pages below `path`, with a session cookie such as `name=value`. */
export const addSession = (context: BrowserContext, path: string, cookie: string) =>
  Effect.promise(() => {
    const [name = "", value = ""] = cookie.split("=")
    return context.addCookies([{ name, value, domain: "127.0.0.1", path, httpOnly: true, sameSite: "Strict" }])
  })

/** Opens a page in a window, and records its requests and errors. */
export const openIn = (context: BrowserContext, url: string) =>
  Effect.promise(async (): Promise<OpenPage> => {
    const page = await context.newPage()
    const log = recordPage(page)
    await page.goto(url)
    return { page, ...log }
  })

/** Opens a page in a window of this size, and records its requests and errors. */
export const openPage = (
  browser: Browser,
  url: string,
  viewport: { readonly width: number; readonly height: number }
) => Effect.flatMap(newWindow(browser, { viewport }), (context) => openIn(context, url))
