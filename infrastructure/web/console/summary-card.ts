import { type Content, type Html, markup } from "../pages/html.ts"
import type { Messages } from "./messages.ts"

/** The card at the top of a page about one thing: what it is, and its state. */
export const summaryCard = ({ summary }: Messages, content: ReadonlyArray<Content>): Html =>
  markup`<section class="card summary" aria-labelledby="summary"><h2 id="summary" class="unseen">${summary.title}</h2>${content}</section>`
