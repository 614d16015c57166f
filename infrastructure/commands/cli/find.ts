import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { runRead } from "./operation.ts"
import { note, print, printTable } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"

type Found = DataOf<"find">
type HitGroup = Found["groups"][number]
type Hit = HitGroup["hits"][number]

const readings: Readonly<Record<HitGroup["by"], string>> = {
  id: "an id",
  request: "the id of a request",
  slip: "a slip",
  reference: "a whole reference",
  tail: "the last six characters of a reference",
  name: "a part of the name of a service or branch",
  host: "a host of callbacks",
  amount: "an amount",
  remark: "a remark"
}

const detailOf = ({ name, verification }: Hit): string => {
  if (verification === null) return name ?? ""
  const { amount, at, branchId, outcome } = verification
  return [at, outcome, amount === null ? "" : `${amount.toFixed(2)} baht`, `branch ${branchId}`]
    .filter((part) => part !== "").join(", ")
}

const printGroup = Effect.fnUntraced(function* ({ by, hits, isComplete, searchedBackTo }: HitGroup) {
  yield* Console.log(`Found by ${readings[by]}:`)
  yield* printTable(["kind", "id", "what"], hits.map((hit) => [hit.kind, hit.id, detailOf(hit)]))
  if (searchedBackTo !== null) {
    yield* note(`Verifications were searched back to ${searchedBackTo}: sliptrail verification list searches further`)
  } else if (!isComplete) yield* note("There are further hits: search for more of the text")
})

const hasHits = ({ hits }: HitGroup): boolean => hits.length > 0

const printFound = ({ groups }: Found) => Effect.forEach(groups.filter(hasHits), printGroup, { discard: true })

const nothingFound = ({ groups, text }: Found): string =>
  `nothing was found for "${text}". It was read as ${groups.map(({ by }) => readings[by]).join("; ")}`
  + (groups.some(({ by }) => by === "tail")
    ? ". Slips that version 0.1.0 verified are found by their whole reference only"
    : "")

export const find = Command.make(
  "find",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription(
        "An id, BANK:REFERENCE, a reference or its last six characters, a name, a host, an amount or a remark"
      )
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, text }) {
    const found = yield* runRead({ name: "find", query: { q: text.trim() } })
    yield* print(json, found, printFound)
    if (!found.groups.some(hasHits)) return yield* answerIsNo(nothingFound(found))
  })
).pipe(Command.withDescription("Find anything by what is known of it, without showing personal data"))
