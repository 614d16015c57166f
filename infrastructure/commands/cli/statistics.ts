import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Counts } from "../../../application/views/statistics.ts"
import { bangkokDateTime, Interval } from "../../../domain/time.ts"
import { isoTimeOf, jsonFlag, optionalText, TIME } from "./flags.ts"
import { runRead } from "./operation.ts"
import { type Columns, print, printRows } from "./output.ts"

const columns: Columns<Counts & { readonly from: string }> = {
  "from": "from",
  "verified": "verified",
  "duplicate": "duplicates",
  "failed": "failed",
  "baht": ({ amount }) => amount.toFixed(2),
  "p50 ms": "p50Millis",
  "p95 ms": "p95Millis",
  "delivered": ({ callbacks }) => String(callbacks.delivered),
  "repeated": ({ callbacks }) => String(callbacks.failed),
  "rejected": ({ callbacks }) => String(callbacks.rejected)
}

/** An hour or a day without a verification or a callback is not printed. */
const isEmpty = ({ callbacks, duplicates, failed, verified }: Counts): boolean =>
  verified + duplicates + failed + callbacks.delivered + callbacks.failed + callbacks.rejected === 0

export const statistics = Command.make(
  "statistics",
  {
    from: optionalText("from", `The first hour: ${TIME}; today's first by default`),
    to: optionalText("to", "The last hour; now by default"),
    interval: Flag.Literals("interval", Interval.literals).pipe(
      Flag.withDescription("What a row counts: an hour or a day in Bangkok"),
      Flag.withDefault("hour" as const)
    ),
    service: optionalText("service", "Only the branches of that service"),
    branch: optionalText("branch", "Only that branch"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ interval, json, ...flags }) {
    const query = {
      ...flags,
      from: yield* isoTimeOf("from", flags.from, "first"),
      to: yield* isoTimeOf("to", flags.to, "last"),
      interval
    }
    const found = yield* runRead({ name: "getStatistics", query })
    const startOf = (from: string) =>
      bangkokDateTime(Date.parse(from)).slice(0, interval === "day" ? 10 : 16).replace("T", " ")
    yield* print(json, found, ({ items, total }) =>
      printRows(columns, [
        ...items.filter((item) => !isEmpty(item)).map((item) => ({ ...item, from: startOf(item.from) })),
        { ...total, from: "total" }
      ]))
  })
).pipe(Command.withDescription("Count verifications, amounts, durations and callbacks of each hour or day"))
