import { Context, Effect, type Exit, Layer } from "effect"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { addSession, newWindow, openIn, startBrowser } from "../../support/browser.ts"
import { startedByHook } from "../../support/require-program.ts"
import { ADMIN_TOKEN } from "../../support/service.ts"

/** One Chromium for all tests of a file. */
export class TestBrowser extends Context.Service<TestBrowser, Exit.Exit<Browser>>()("test/TestBrowser") {
  static readonly layer = TestBrowser.startedBy(startBrowser)

  static startedBy<R>(start: Effect.Effect<Browser, never, R>) {
    return Layer.effect(TestBrowser, Effect.exit(start))
  }
}

/** The browser of the file. Without Chromium, the test is skipped. */
export const testBrowser = TestBrowser.use((browser) => Effect.sync(() => startedByHook(browser)))

export interface Form {
  readonly [name: string]: string
}

interface Sent {
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a form as a page of the console does, without following redirects. */
export const sendForm = (baseUrl: string, path: string, form: Form, { cookie, headers }: Sent = {}) =>
  Effect.promise((signal) =>
    fetch(baseUrl + path, {
      method: "POST",
      signal,
      redirect: "manual",
      body: new URLSearchParams(form),
      headers: { origin: baseUrl, ...(cookie === undefined ? {} : { cookie }), ...headers }
    })
  )

/** Requests a page, without following redirects. */
export const getPage = (baseUrl: string, path: string, { cookie, headers }: Sent = {}) =>
  Effect.promise((signal) =>
    fetch(baseUrl + path, {
      signal,
      redirect: "manual",
      headers: { ...(cookie === undefined ? {} : { cookie }), ...headers }
    })
  )

export const textOf = (answer: Response) => Effect.promise(() => answer.text())

/** The cookie that an answer sets, as a browser sends it. */
export const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

/** Signs in, and returns the session cookie as a browser sends it. */
export const signedIn = (baseUrl: string, token = ADMIN_TOKEN) =>
  Effect.map(sendForm(baseUrl, "/console/login", { token }), cookieOf)

/** The form token of a page. */
export const formTokenIn = (html: string): string => /name="csrf" value="([0-9a-f]{32})"/u.exec(html)?.[1] ?? ""

export interface Window {
  readonly width?: number
  readonly height?: number
  readonly locale?: "en-GB" | "th-TH"
  readonly colorScheme?: "light" | "dark"
  readonly javaScriptEnabled?: boolean
}

/** Opens a page of the console in a new signed-in window, which closes with the scope. */
export const openConsole = Effect.fnUntraced(function* (baseUrl: string, path: string, window: Window = {}) {
  const browser = yield* testBrowser
  const { colorScheme = "light", height = 900, javaScriptEnabled = true, locale = "en-GB", width = 1280 } = window
  const context = yield* newWindow(browser, { viewport: { width, height }, locale, colorScheme, javaScriptEnabled })
  yield* addSession(context, "/console", yield* signedIn(baseUrl))
  return yield* openIn(context, baseUrl + path)
})

const artefacts = fileURLToPath(new URL("../../artefacts/console/", import.meta.url))

/** Stores a screenshot for people. No test reads it. */
export const screenshot = (page: Page, name: string) =>
  Effect.promise(async () => {
    mkdirSync(artefacts, { recursive: true })
    await page.screenshot({ path: `${artefacts}${name}.png`, fullPage: true })
  })
