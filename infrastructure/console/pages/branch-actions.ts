import { Effect } from "effect"
import {
  changeBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../../application/provisioning/branches.ts"
import { markup } from "../../http/html.ts"
import { branchAsked } from "../branch-fields.ts"
import { facts } from "../parts.ts"
import { secretsPage } from "../secrets-page.ts"
import { timeView } from "../time-view.ts"
import { operationOf, orAgain, pathTo, seeOther, type Visit } from "../page-context.ts"
import type { Words } from "../messages/en.ts"
import { branchPage } from "./branch.ts"
import { decodeBranchChange } from "../../input/operator-requests.ts"

const idOf = ({ params: [id = ""] }: Visit): string => id.toLowerCase()

const done = (visit: Visit, what: keyof Words["done"]) => seeOther(`${pathTo("branches", idOf(visit))}?done=${what}`)

export const activate = (visit: Visit) =>
  Effect.as(switchBranch(idOf(visit), "active", operationOf(visit)), done(visit, "activated"))

export const deactivate = (visit: Visit) =>
  Effect.as(switchBranch(idOf(visit), "inactive", operationOf(visit)), done(visit, "deactivated"))

export const change = (visit: Visit) =>
  orAgain(
    visit,
    branchPage,
    Effect.gen(function* () {
      yield* changeBranch(idOf(visit), yield* decodeBranchChange(branchAsked(visit.fields)), operationOf(visit))
      return done(visit, "changed")
    })
  )

/** The new key is in this answer and nowhere else. */
export const rotateKey = Effect.fnUntraced(function* (visit: Visit) {
  const { apiKey, id, name } = yield* rotateApiKey(idOf(visit), operationOf(visit))
  return secretsPage(visit, pathTo("branches", id), facts([[visit.words.overview.branch, name]]), { apiKey })
})

/** The new secret is in this answer and nowhere else. */
export const rotateSecret = Effect.fnUntraced(function* (visit: Visit) {
  const { words } = visit
  const { previousExpiresAt, secret } = yield* rotateWebhookSecret(idOf(visit), operationOf(visit))
  const about = facts([[words.branch.rotateSecretHint, markup`${timeView(words, previousExpiresAt)}`]])
  return secretsPage(visit, pathTo("branches", idOf(visit)), about, { webhookSecret: secret })
})
