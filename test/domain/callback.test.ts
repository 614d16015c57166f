import { assert, describe, it } from "@effect/vitest"
import {
  callback,
  type CallbackCommand,
  type CallbackEvent,
  callbackHost,
  isEnded,
  isUnderWay
} from "../../domain/callback.ts"
import { fold } from "../../domain/decider.ts"
import { given } from "../support/decider-spec.ts"

const at = "2026-11-21T08:45:00.000Z"
const later = "2026-11-21T08:45:01.000Z"
const retryAt = "2026-11-21T08:45:06.000Z"
const requestedAt = "2026-11-21T08:45:03.000Z"
const url = "https://shop.example:8443/hook?branch=silom"
const about = { jobId: "j-1", branchId: "silom", host: "shop.example:8443" }

type CommandOf<Tag> = Extract<CallbackCommand, { readonly _tag: Tag }>
const send = (attempt: number): CommandOf<"SendCallback"> => ({
  _tag: "SendCallback",
  jobId: "j-1",
  branchId: "silom",
  url,
  bodyDigest: "e3b0",
  attempt,
  at
})
type Outcome = CommandOf<"RecordOutcome">["outcome"]
const record = (attempt: number, outcome: Outcome): CallbackCommand => ({
  _tag: "RecordOutcome",
  attempt,
  at: later,
  outcome
})
const redeliver: CommandOf<"RequestRedelivery"> = { _tag: "RequestRedelivery", at: requestedAt }

const delivery: Outcome = { _tag: "Delivered", status: 204, tookMillis: 40 }
const rejection: Outcome = { _tag: "Rejected", status: 404, tookMillis: 40 }
const failure = { _tag: "Failed", status: 503, reason: "it answered 503", tookMillis: 40, retryAt } as const
const lastFailure: Outcome = { ...failure, retryAt: null }

const scheduled: CallbackEvent = {
  _tag: "CallbackScheduled",
  ...about,
  url,
  bodyDigest: "e3b0",
  at,
  nextAttemptAt: at
}
const sent = (attempt: number): CallbackEvent => ({ _tag: "CallbackSent", ...about, attempt, at })
type Failed = Extract<CallbackEvent, { readonly _tag: "CallbackAttemptFailed" }>
const failed = (attempt: number, nextAttemptAt: string | null = retryAt): Failed => ({
  _tag: "CallbackAttemptFailed",
  ...about,
  attempt,
  at: later,
  status: 503,
  reason: "it answered 503",
  tookMillis: 40,
  nextAttemptAt
})
const answered = (attempt: number, status: number) => ({ ...about, attempt, at: later, status, tookMillis: 40 })
const delivered = (attempt: number): CallbackEvent => ({ _tag: "CallbackDelivered", ...answered(attempt, 204) })
const rejected = (attempt: number): CallbackEvent => ({ _tag: "CallbackRejected", ...answered(attempt, 404) })
const abandoned = (attempts: number): CallbackEvent => ({ _tag: "CallbackAbandoned", ...about, attempts, at: later })
const reopened: CallbackEvent = {
  _tag: "CallbackRedeliveryRequested",
  ...about,
  at: requestedAt,
  nextAttemptAt: requestedAt
}

describe("sending a callback", () => {
  it("records its URL and its first attempt in one append", () => {
    given(callback).when(send(1)).then(scheduled, sent(1))
  })

  it("records another attempt to the same URL", () => {
    given(callback, scheduled, sent(1), failed(1)).when(send(2)).then(sent(2))
    given(callback, scheduled, sent(1), failed(1))
      .when({ ...send(2), url: "https://other.example" })
      .then(sent(2))
  })

  it("continues the numbers after a lost outcome", () => {
    given(callback, scheduled, sent(1)).when(send(2)).then(sent(2))
  })

  it("has no effect when another process sends that attempt", () => {
    given(callback, scheduled, sent(1)).when(send(1)).thenNothing()
    given(callback, scheduled, sent(1), sent(2)).when(send(1)).thenNothing()
  })

  it("has no gap between attempts", () => {
    given(callback).when(send(2)).thenRejected("AttemptSkipped")
    given(callback, scheduled, sent(1)).when(send(3)).thenRejected("AttemptSkipped")
  })
})

describe("an attempt that failed", () => {
  const history = [scheduled, sent(1)]

  it("records status, reason, duration and the time of the next attempt", () => {
    given(callback, ...history).when(record(1, failure)).then(failed(1))
  })

  it("may have no response", () => {
    const noAnswer = { status: null, reason: "no answer within 10 s" }
    given(callback, ...history).when(record(1, { ...failure, ...noAnswer })).then({ ...failed(1), ...noAnswer })
  })

  it("abandons the callback in the same append when there is no next attempt", () => {
    given(callback, ...history).when(record(1, lastFailure)).then(failed(1, null), abandoned(1))
  })

  it("is recorded once", () => {
    given(callback, ...history, failed(1)).when(record(1, failure)).thenNothing()
    given(callback, ...history, failed(1)).when(record(1, delivery)).thenNothing()
    given(callback, ...history, failed(1), sent(2)).when(record(1, lastFailure)).thenNothing()
  })

  it("must have been sent before", () => {
    given(callback).when(record(1, failure)).thenRejected("CallbackUnknown")
    given(callback, ...history).when(record(2, failure)).thenRejected("AttemptSkipped")
  })

  it("counts on the schedule, except when its outcome was lost", () => {
    assert.deepInclude(fold(callback, [...history, failed(1)]), { attempts: 1, failures: 1, nextAttemptAt: retryAt })
    assert.deepInclude(fold(callback, [...history, sent(2), failed(2)]), { attempts: 2, failures: 1 })
  })
})

describe("an answer", () => {
  it("of 2xx ends the callback as delivered", () => {
    given(callback, scheduled, sent(1)).when(record(1, delivery)).then(delivered(1))
    assert.deepInclude(fold(callback, [scheduled, sent(1), delivered(1)]), {
      end: "delivered",
      lastStatus: 204,
      deliveredAt: later,
      nextAttemptAt: null
    })
  })

  it("of 4xx ends the callback as rejected", () => {
    given(callback, scheduled, sent(1)).when(record(1, rejection)).then(rejected(1))
    assert.deepInclude(fold(callback, [scheduled, sent(1), rejected(1)]), {
      end: "rejected",
      lastStatus: 404,
      deliveredAt: null,
      nextAttemptAt: null
    })
  })
})

describe("an attempt whose outcome was lost and that was sent again", () => {
  const history = [scheduled, sent(1), sent(2)]

  it("ends the callback when its outcome arrives late and is a delivery", () => {
    given(callback, ...history).when(record(1, delivery)).then(delivered(1))
    given(callback, ...history, failed(2)).when(record(1, delivery)).then(delivered(1))
  })

  it("has no effect when its outcome arrives late and is a failure or a rejection", () => {
    given(callback, ...history).when(record(1, failure)).thenNothing()
    given(callback, ...history).when(record(1, lastFailure)).thenNothing()
    given(callback, ...history).when(record(1, rejection)).thenNothing()
  })
})

const ends = { delivered: [delivered(1)], rejected: [rejected(1)], abandoned: [failed(1, null), abandoned(1)] }

describe.each(Object.entries(ends))("a callback that was %s", (end, events) => {
  const history = [scheduled, sent(1), ...events]

  it("has ended, and accepts no attempt and no outcome", () => {
    assert.strictEqual(fold(callback, history).end, end)
    assert.isTrue(isEnded(fold(callback, history)))
    given(callback, ...history).when(send(2)).thenNothing()
    given(callback, ...history).when(record(1, delivery)).thenNothing()
    given(callback, ...history).when(record(1, lastFailure)).thenNothing()
    given(callback, scheduled, sent(1), sent(2), ...events).when(record(2, delivery)).thenNothing()
  })

  it("is reopened by a redelivery request", () => {
    given(callback, ...history).when(redeliver).then(reopened)
    const state = fold(callback, [...history, reopened])
    assert.isFalse(isEnded(state))
    assert.deepInclude(state, { attempts: 1, failures: 0, nextAttemptAt: requestedAt })
  })

  it("ends again after a redelivery, and continues its attempt numbers", () => {
    given(callback, ...history, reopened).when(send(2)).then(sent(2))
    given(callback, ...history, reopened, sent(2)).when(record(2, delivery)).then(delivered(2))
    given(callback, ...history, reopened, sent(2)).when(record(2, lastFailure)).then(failed(2, null), abandoned(2))
    given(callback, ...history, reopened, sent(2), rejected(2)).when(send(3)).thenNothing()
  })

  it("can always be reopened", () => {
    assert.isFalse(callback.isTerminal(fold(callback, history)))
  })
})

describe("a redelivery", () => {
  it("is requested once until it is sent", () => {
    given(callback, scheduled, sent(1), delivered(1), reopened).when({ ...redeliver, at: later }).thenNothing()
    given(callback, scheduled, sent(1), delivered(1), reopened, sent(2), delivered(2)).when(redeliver).then(reopened)
  })

  it("requires a callback that was sent", () => {
    given(callback).when(redeliver).thenRejected("CallbackUnknown")
  })

  it("of a callback that waits for its retry is due at once, and restarts its schedule", () => {
    given(callback, scheduled, sent(1), failed(1)).when(redeliver).then(reopened)
    assert.deepInclude(fold(callback, [scheduled, sent(1), failed(1), reopened]), {
      failures: 0,
      nextAttemptAt: requestedAt
    })
  })

  describe("a redelivery that is requested during an attempt", () => {
    const history = [scheduled, sent(1), reopened]

    it("is sent although that attempt fails for the last time or is rejected", () => {
      given(callback, ...history).when(record(1, lastFailure)).then(failed(1, requestedAt))
      given(callback, ...history).when(record(1, failure)).then(failed(1, requestedAt))
      given(callback, ...history).when(record(1, rejection))
        .then({ ...failed(1, requestedAt), status: 404, reason: "rejected" })
      const state = fold(callback, [...history, failed(1, requestedAt)])
      assert.deepInclude(state, { failures: 0, nextAttemptAt: requestedAt, isRedeliveryRequested: true })
    })

    it("is fulfilled when that attempt delivers", () => {
      given(callback, ...history).when(record(1, delivery)).then(delivered(1))
      given(callback, ...history, delivered(1)).when(send(2)).thenNothing()
    })
  })
})

describe("a callback", () => {
  it("is in progress from its sending to its outcome", () => {
    const isUnderWayAfter = (...history: ReadonlyArray<CallbackEvent>) => isUnderWay(fold(callback, history))
    assert.isFalse(isUnderWayAfter())
    assert.isTrue(isUnderWayAfter(scheduled, sent(1)))
    assert.isFalse(isUnderWayAfter(scheduled, sent(1), failed(1)))
    assert.isTrue(isUnderWayAfter(scheduled, sent(1), sent(2)))
    assert.isFalse(isUnderWayAfter(scheduled, sent(1), sent(2), failed(2)))
    assert.isFalse(isUnderWayAfter(scheduled, sent(1), sent(2), delivered(1)))
  })

  it.each([
    ["https://Shop.Example/hook", "shop.example"],
    ["https://shop.example:443/", "shop.example"],
    ["https://shop.example:8443/", "shop.example:8443"],
    ["https://[2001:db8::1]/hook", "[2001:db8::1]"],
    ["no url", "invalid"],
    ["mailto:shop@example.com", "invalid"]
  ])("to %s goes to the server %s", (url, host) => {
    assert.strictEqual(callbackHost(url), host)
  })
})
