import { Effect } from "effect"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import type { Exchange } from "../http/endpoint.ts"
import { type Content, type Html, markup } from "../http/html.ts"
import type { Words } from "./messages/en.ts"
import { type Fields, InvalidInput, type Issue } from "../input/decode.ts"
import { v2Failures } from "../http/api/failures.ts"

/** One look at a page, or one form that was sent, by somebody who has a session. */
export interface Visit {
  readonly words: Words
  readonly exchange: Exchange
  /** Where on the site, such as `/console/services`. */
  readonly path: string
  /** What stands in the places of the page's path, decoded. */
  readonly params: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** Of the form; what was left empty is absent. None of a look. */
  readonly fields: Fields
  /** What is wrong with the fields, when the page is shown again because of it. */
  readonly issues: ReadonlyArray<Issue>
  readonly formToken: string
}

/** A whole page; 200 unless told otherwise. */
export interface Page {
  readonly _tag: "Page"
  readonly title: string
  readonly content: Html
  /** The entry of the menu that it belongs to. */
  readonly menu?: Menu
  readonly status?: number
}

/** What the script of a page asked for, to be put in the place of a part of it. */
export interface Part {
  readonly _tag: "Part"
  readonly content: Html
}

/** Somewhere else on the site. */
export interface SeeOther {
  readonly _tag: "SeeOther"
  readonly path: string
}

export type Answer = Page | Part | SeeOther
export type Menu = "overview" | "services" | "callbacks" | "projections"

export const seeOther = (path: string): SeeOther => ({ _tag: "SeeOther", path })

/** What an operation that was begun here leaves in the trail. */
export const operationOf = ({ exchange }: Visit): Operation => ({
  actor: { kind: "admin", id: "console" },
  correlationId: exchange.requestId
})

/** A path below `/console`, its parts encoded. */
export const pathTo = (...parts: ReadonlyArray<string>): string =>
  ["/console", ...parts.map(encodeURIComponent)].join("/")

/** A form that changes something: it brings the token of the session along. */
export const actionForm = ({ formToken }: Visit, action: string, ...content: ReadonlyArray<Content>): Html =>
  markup`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${formToken}">${content}</form>`

/** What is done only after a second look; opened without a script too. */
export const confirmed = (label: string, ...content: ReadonlyArray<Content>): Html =>
  markup`<details class="confirm"><summary class="button">${label}</summary><div class="sheet">${content}</div></details>`

/** What was just done, from `?done=`; nothing for what is no such word. */
export const doneBanner = ({ query, words }: Visit): Content => {
  const done = query.get("done") ?? ""
  const said = Object.entries(words.done).find(([name]) => name === done)?.[1]
  return said === undefined ? undefined : markup`<p class="banner good" role="status">${said}</p>`
}

/** Does what a form asks for; its page is shown again, as it was filled in, when its fields are at fault. */
export const orAgain = <E1, R1, E2, R2>(
  visit: Visit,
  again: (visit: Visit) => Effect.Effect<Answer, E2, R2>,
  act: Effect.Effect<Answer, E1 | InvalidInput, R1>
) =>
  Effect.catchIf(
    act,
    (error) => error instanceof InvalidInput,
    ({ issues }) =>
      Effect.map(
        again({ ...visit, issues }),
        (answer) => answer._tag === "Page" ? { ...answer, status: v2Failures.VALIDATION_ERROR.status } : answer
      )
  )
