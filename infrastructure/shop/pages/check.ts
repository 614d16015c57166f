import { Effect } from "effect"
import { markup } from "../../pages/html.ts"
import type { Page, ShopContext } from "../page-context.ts"

/** The page on which a clerk checks a slip. */
export const checkPage = ({ messages: { check } }: ShopContext) => {
  const page: Page = { _tag: "Page", title: check.title, menu: "check", content: markup`<h1>${check.title}</h1>` }
  return Effect.succeed(page)
}

/** Verifies the slip of the form. */
export const checkAction = checkPage
