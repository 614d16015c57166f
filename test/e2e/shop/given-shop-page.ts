import { Effect } from "effect"
import type { Page } from "playwright-core"
import { drawSandboxSlip } from "../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { addSession, newWindow, openIn } from "../../support/browser.ts"
import type { newSlip } from "../../support/client.ts"
import { cookieOf, sendForm, testBrowser, type Window } from "../console/given-console.ts"

/** Signs in with a key, and returns the session cookie as a browser sends it. */
export const signedInAs = (baseUrl: string, key: string) =>
  Effect.map(sendForm(baseUrl, "/app/sign-in", { key }), cookieOf)

/** Opens a page of the shop in a new window, which closes with the scope; signed in when there is a key. */
export const openShop = Effect.fnUntraced(function* (
  baseUrl: string,
  path: string,
  { colorScheme = "light", height = 844, javaScriptEnabled = true, key, locale = "en-GB", width = 390 }:
    & Window
    & { readonly key?: string } = {}
) {
  const browser = yield* testBrowser
  const context = yield* newWindow(browser, { viewport: { width, height }, locale, colorScheme, javaScriptEnabled })
  if (key !== undefined) yield* addSession(context, "/app", yield* signedInAs(baseUrl, key))
  return yield* openIn(context, baseUrl + path)
})

/** The picture of a sandbox slip, as a file for a form. */
export const pictureOf = (slip: ReturnType<typeof newSlip>) =>
  Effect.map(drawSandboxSlip(slip), (bytes) => ({
    name: "slip.png",
    mimeType: "image/png",
    buffer: Buffer.from(bytes)
  }))

/** The headline of the verdict that the page shows. */
export const headline = (page: Page) => Effect.promise(() => page.locator(".verdict h1").innerText())
