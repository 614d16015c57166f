import { Clock, Effect } from "effect"
import { textOf } from "./fields.ts"
import { inTrouble, type NoStatement } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"
import { readJson } from "./json-body.ts"
import type { GrantedToken } from "./tokens.ts"

/** How a bank gives tokens. */
export interface Granting {
  readonly title: string
  readonly timeoutMillis: number
  readonly ask: Effect.Effect<UpstreamResponse, NoStatement>
  /** Of the JSON of a good answer: the token, and for how many seconds it is good, as it stands there. */
  readonly read: (json: unknown) => { readonly token: string; readonly lifetime: unknown }
  /** Why another answer gives none. */
  readonly whyNot: (response: UpstreamResponse, now: number) => NoStatement
}

/** Asks a bank for a token. Nothing of an answer that may hold one is kept as evidence. */
export const grantOf = (
  { ask, read, timeoutMillis, title, whyNot }: Granting
): Effect.Effect<GrantedToken, NoStatement> =>
  Effect.gen(function* () {
    const response = yield* ask
    if (response.status < 200 || response.status > 299) return yield* whyNot(response, yield* Clock.currentTimeMillis)
    const { lifetime, token } = read(readJson(response.text))
    // It goes into a header.
    if (!/^[\x21-\x7e]+$/u.test(token)) return yield* inTrouble(`${title} gave no token that could be read`)
    const seconds = Number(textOf(lifetime))
    return { token, lifetimeSeconds: seconds > 0 ? seconds : undefined }
  }).pipe(Effect.timeoutOrElse({
    duration: timeoutMillis,
    orElse: () => Effect.fail(inTrouble(`${title} gave no token within ${timeoutMillis} ms`))
  }))
