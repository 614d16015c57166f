import { Effect, type Scope } from "effect"
import type { Browser, Page } from "playwright-core"
import { type PageLog, recordPage } from "../../support/browser.ts"
import { RunningService } from "../../support/service.ts"
import { signedIn, TestBrowser } from "../console/given-console.ts"
import { signedInAs } from "../shop/given-shop-page.ts"
import { DemoData } from "./demo-data.ts"
import type { SitePage } from "./site-pages.ts"

/** How a person looks at a page. */
export interface PageWindow {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly locale: "en-GB" | "th-TH"
  readonly colorScheme: "light" | "dark"
}

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** A window by its name, such as `wide-en-light`. */
const windowOf = (size: keyof typeof sizes, language: "en" | "th", colorScheme: "light" | "dark"): PageWindow => ({
  name: `${size}-${language}-${colorScheme}`,
  viewport: sizes[size],
  locale: language === "th" ? "th-TH" : "en-GB",
  colorScheme
})

/** Every combination of width, language and colours. Two neighbours differ in at least two of them. */
export const windows: ReadonlyArray<PageWindow> = [
  windowOf("wide", "en", "light"),
  windowOf("phone", "th", "dark"),
  windowOf("wide", "th", "light"),
  windowOf("phone", "en", "dark"),
  windowOf("phone", "th", "light"),
  windowOf("wide", "en", "dark"),
  windowOf("phone", "en", "light"),
  windowOf("wide", "th", "dark")
]

const newContext = (browser: Browser, { colorScheme, locale, viewport }: PageWindow) =>
  Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ viewport, locale, colorScheme })),
    (context) => Effect.promise(() => context.close())
  )

export interface OpenWindow {
  /** Opens a page of a site in its state. */
  readonly show: (sitePage: SitePage) => Effect.Effect<PageLog & { readonly page: Page }, never, Scope.Scope>
}

/** A window in which an operator and a device of the demo's shop are signed in. */
export const openWindow = Effect.fnUntraced(function* (window: PageWindow) {
  const browser = yield* TestBrowser
  const { baseUrl } = yield* RunningService
  const { key } = yield* DemoData
  const signedOut = yield* newContext(browser, window)
  const context = yield* newContext(browser, window)
  const sessions = [["/console", yield* signedIn(baseUrl)], ["/app", yield* signedInAs(baseUrl, key)]] as const
  yield* Effect.promise(() =>
    context.addCookies(sessions.map(([path, cookie]) => {
      const [name = "", value = ""] = cookie.split("=")
      return { name, value, domain: "127.0.0.1", path, httpOnly: true, sameSite: "Strict" as const }
    }))
  )
  const show: OpenWindow["show"] = ({ act, isSignedOut = false, path }) =>
    Effect.gen(function* () {
      const page = yield* Effect.acquireRelease(
        Effect.promise(() => (isSignedOut ? signedOut : context).newPage()),
        (page) => Effect.promise(() => page.close())
      )
      const log = recordPage(page)
      yield* Effect.promise(async () => {
        await page.goto(baseUrl + path)
        await act?.(page)
        // The act may have left the page: its style sheets belong to the state.
        await page.waitForLoadState()
        await page.evaluate(() => document.fonts.ready.then(() => undefined))
      })
      return { page, ...log }
    })
  return { show } satisfies OpenWindow
})
