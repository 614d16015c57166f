import { Effect, Option, Stream } from "effect"
import { type TreeHead, treeHeadLine } from "../../domain/log-proof/tree-head.ts"
import { EventStore } from "../../ports/event-store.ts"
import { TreeHeadUnreadable } from "./find-tree-head.ts"
import { treeHeadOf } from "./tree-head-chain.ts"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"

/** Tree heads read at a time. */
const PAGE = 500

/** The signed tree heads after one of them by its number, as lines of the file of tree heads, page by page. */
export const treeHeadLines = (after: number) =>
  Stream.paginate(
    after,
    Effect.fnUntraced(function* (from: number) {
      const events = yield* (yield* EventStore).readStream(treeHeadStream, { from, limit: PAGE })
      const treeHeads: Array<TreeHead> = []
      for (const event of events) {
        const treeHead = treeHeadOf(event)
        if (treeHead === undefined) {
          const message = `event ${event.revision} of ${treeHeadStream} is not a tree head: see sliptrail trail verify`
          return yield* new TreeHeadUnreadable({ message })
        }
        treeHeads.push(treeHead)
      }
      const text = treeHeads.map((treeHead) => `${treeHeadLine(treeHead)}\n`).join("")
      const next = events.length < PAGE ? Option.none<number>() : Option.some(from + PAGE)
      return [text === "" ? [] : [text], next] as const
    })
  )
