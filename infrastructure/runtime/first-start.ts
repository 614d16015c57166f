import { Effect } from "effect"
import { createService } from "../../application/commands/services.ts"
import { beginning, EventStore, formatPosition } from "../../application/ports/event-store.ts"
import { Leases } from "../../application/ports/leases.ts"

/** What a newcomer needs to verify a first slip; shown this once. */
export interface Demo {
  readonly apiKey: string
  readonly webhookSecret: string
  readonly branchId: string
}

const makeDemo = Effect.gen(function*() {
  const head = yield* (yield* EventStore).head
  if (formatPosition(head) !== formatPosition(beginning)) return undefined
  const { mainBranch } = yield* createService(
    { name: "Demo shop", plan: "demo", quota: null, accountId: undefined, expiresAt: null },
    { actor: { kind: "system", id: "first-start" }, correlationId: "first-start" }
  )
  const demo: Demo = {
    apiKey: mainBranch.apiKey,
    webhookSecret: mainBranch.webhookSecret,
    branchId: mainBranch.id
  }
  return demo
})

/**
 * On an empty log, makes a demo service with an unlimited main branch (contract: operations, "Two commands on a fresh
 * machine"). Undefined when something happened before. Of processes that start together one makes it.
 */
export const firstStart = Effect.flatMap(Leases, (leases) => leases.whileHolding("first-start", makeDemo))

/** What is printed at the first start: the secrets, once, and three commands to copy. */
export const welcome = ({ apiKey, branchId, webhookSecret }: Demo, baseUrl: string): string => `
A demo service was made. Its key and secret are shown this once:

  API key         ${apiKey}
  Webhook secret  ${webhookSecret}

Verify a slip of the sandbox bank now, in a second terminal in this folder:

  npx sliptrail sandbox slip --amount 1500.50 --out slip.png
  curl -s ${baseUrl}/v2/verify/bank -H 'Authorization: Bearer ${apiKey}' -F image=@slip.png
  npx sliptrail trail show --branch ${branchId}
`
