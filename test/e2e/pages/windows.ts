import { Effect, type Scope } from "effect"
import type { Page } from "playwright-core"
import { addSession, newWindow, type PageLog, recordPage, sizes } from "../../support/browser.ts"
import { RunningService } from "../../support/service.ts"
import { signedIn, testBrowser } from "../console/given-console.ts"
import { signedInAs } from "../shop/given-shop-page.ts"
import { DemoData } from "./demo-data.ts"
import type { SitePage } from "./site-pages.ts"

type Size = keyof typeof sizes
type Language = "en" | "th"
type ColorScheme = "light" | "dark"

/** Such as `wide-en-light`. */
export type WindowName = `${Size}-${Language}-${ColorScheme}`

/** How a person looks at a page. */
export interface PageWindow {
  readonly name: WindowName
  readonly viewport: { readonly width: number; readonly height: number }
  readonly locale: "en-GB" | "th-TH"
  readonly colorScheme: ColorScheme
}

const windowOf = (size: Size, language: Language, colorScheme: ColorScheme): PageWindow => ({
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

export interface OpenWindow {
  /** Opens a page of a site in its state. */
  readonly show: (sitePage: SitePage) => Effect.Effect<PageLog & { readonly page: Page }, never, Scope.Scope>
}

/** A window in which an operator and a device of the demo's shop are signed in. */
export const openWindow = Effect.fnUntraced(function* ({ colorScheme, locale, viewport }: PageWindow) {
  const browser = yield* testBrowser
  const { baseUrl } = yield* RunningService
  const { key } = yield* DemoData
  const options = { viewport, locale, colorScheme }
  const signedOut = yield* newWindow(browser, options)
  const context = yield* newWindow(browser, options)
  yield* addSession(context, "/console", yield* signedIn(baseUrl))
  yield* addSession(context, "/app", yield* signedInAs(baseUrl, key))
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
