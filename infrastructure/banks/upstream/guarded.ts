import { Clock, Effect, Semaphore } from "effect"
import type { GatewayReply, SlipQuestion } from "../../../ports/bank-gateway.ts"
import { reportCircuit } from "./gateway-metrics.ts"
import { makeCircuit, shutFor } from "./circuit.ts"
import { type Gateway, inTrouble, NoStatement, type Statement } from "./gateway.ts"

/** What every bank's gateway can be told. */
export interface Limits {
  /** Of one question, the token included. */
  readonly timeoutMillis: number
  /** Questions under way at a time; more wait, as long as they have time. */
  readonly concurrency: number
  /** The sending banks whose slips it is asked about; none given, all. */
  readonly sendingBanks: ReadonlyArray<string>
}

/** A bank as its own folder knows it. */
export interface Bank {
  /** As it stands in `BANK_GATEWAYS`. */
  readonly name: string
  /** As it is called in messages. */
  readonly title: string
  readonly ask: (question: SlipQuestion) => Effect.Effect<Statement, NoStatement>
  readonly check: Effect.Effect<void, NoStatement>
}

type Said = Pick<GatewayReply, "answer" | "upstream">

/** A bank's gateway that keeps to its limits and leaves a bank in trouble alone, whoever asks how often. */
export const guarded = ({ ask, check, name, title }: Bank, limits: Limits): Gateway => {
  const { concurrency, sendingBanks, timeoutMillis } = limits
  const room = Semaphore.makeUnsafe(concurrency)
  const circuit = makeCircuit(title, (isOpen) => Effect.andThen(reportCircuit(name, isOpen), tell(title, isOpen)))

  const crowded = new NoStatement({
    why: `${concurrency} questions to ${title} were under way: too little of ${timeoutMillis} ms was left for this one`,
    retryAfterSeconds: CROWDED_SECONDS,
    upstream: null,
    concerns: "nobody"
  })

  const inTime = (effect: Effect.Effect<Statement, NoStatement>, leftMillis: number) =>
    Effect.timeoutOrElse(effect, {
      duration: leftMillis,
      orElse: () =>
        // Who waited for long gave the bank no fair chance.
        Effect.fail(
          leftMillis < timeoutMillis / 2 ? crowded : inTrouble(`${title} gave no answer within ${timeoutMillis} ms`)
        )
    })

  const asked = (question: SlipQuestion, begun: number) =>
    Effect.suspend(() => {
      let hasRoom = false
      const inRoom = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        hasRoom = true
        return circuit.through(inTime(ask(question), begun + timeoutMillis - now))
      })
      // Of whoever has room the circuit must learn how it ended: it is not cut off from outside.
      const noRoom = Effect.andThen(
        Effect.sleep(timeoutMillis),
        Effect.suspend(() => hasRoom ? Effect.never : Effect.fail(crowded))
      )
      const shut = circuit.shutMillis(begun)
      return shut > 0 ? Effect.fail(shutFor(title, shut)) : Effect.raceFirst(room.withPermits(1)(inRoom), noRoom)
    })

  return {
    name,
    timeoutMillis,
    answersFor: (sendingBank) => sendingBanks.length === 0 || sendingBanks.includes(sendingBank),
    check,
    verify: Effect.fnUntraced(function* (question) {
      const begun = yield* Clock.currentTimeMillis
      const said = yield* Effect.match(asked(question, begun), {
        onSuccess: (statement): Said => statement,
        onFailure: ({ retryAfterSeconds, upstream, why }): Said => ({
          answer: { _tag: "Unavailable", why, retryAfterSeconds },
          upstream
        })
      })
      return { gateway: name, tookMillis: (yield* Clock.currentTimeMillis) - begun, ...said }
    })
  }
}

const CROWDED_SECONDS = 5

const tell = (title: string, isOpen: boolean): Effect.Effect<void> =>
  isOpen
    ? Effect.logWarning(`${title} is in trouble: it is asked once every ten seconds until it answers again`)
    : Effect.logInfo(`${title} answers again`)
