import { Effect } from "effect"
import type { OperatorRole } from "../../../domain/operators.ts"
import { newOperator } from "../../support/operators.ts"
import { RunningService } from "../../support/service.ts"
import { type Form, formTokenIn, getPage, sendForm, signedIn, textOf } from "./given-console.ts"

/** A new operator who is signed in to the console. */
export const givenOperator = Effect.fnUntraced(function* (name: string, role: OperatorRole) {
  const service = yield* RunningService
  const { baseUrl } = service
  const token = yield* newOperator(service, name, role)
  const cookie = yield* signedIn(baseUrl, token)
  const page = (path: string) => getPage(baseUrl, path, { cookie })
  const html = (path: string) => Effect.flatMap(page(path), textOf)
  const csrf = formTokenIn(yield* html("/console"))
  const send = (path: string, form: Form = {}) => sendForm(baseUrl, path, { csrf, ...form }, { cookie })
  return { cookie, token, page, html, send }
})
