import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { fold } from "../../domain/decider.ts"
import { request, type RequestCommand, RequestEvent, requestInForce } from "../../domain/idempotency-key.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const at = "2026-11-21T05:00:00.000Z"
const aDayLater = "2026-11-22T05:00:00.000Z"
const request1 = { branchId: "b-1", fingerprint: "f-1", subjectId: "s-1", at }
const begin = (change: Partial<typeof request1> & { readonly formerFingerprint?: string } = {}): RequestCommand => ({
  _tag: "BeginRequest",
  ...request1,
  ...change
})
const refuse: RequestCommand = {
  _tag: "RefuseRequest",
  subjectId: "s-1",
  code: "SLIP_NOT_FOUND",
  message: "Slip not found or invalid",
  at
}
const release: RequestCommand = { _tag: "ReleaseRequest", subjectId: "s-1", at }
const begun: RequestEvent = { _tag: "RequestBegun", ...request1 }
const refused: RequestEvent = { ...refuse, _tag: "RequestRefused" }
const released: RequestEvent = { ...release, _tag: "RequestReleased" }

describe("a request with a key", () => {
  it("begins under its own id", () => {
    given(request).when(begin()).then(begun)
  })

  it("continues under the first id when it is repeated", () => {
    given(request, begun).when(begin({ subjectId: "s-2" })).thenNothing()
    given(request, begun, refused).when(begin({ subjectId: "s-2" })).thenNothing()
  })

  it("is refused under the key of another request", () => {
    given(request, begun).when(begin({ fingerprint: "f-2", subjectId: "s-2" })).thenRejected("KeyReused")
    given(request, begun, refused).when(begin({ fingerprint: "f-2", subjectId: "s-2" })).thenRejected("KeyReused")
  })

  it("continues when an earlier version began it under another digest of the same content", () => {
    const again = { fingerprint: "f-2", subjectId: "s-2" }
    given(request, begun).when(begin({ ...again, formerFingerprint: "f-1" })).thenNothing()
    given(request, begun).when(begin({ ...again, formerFingerprint: "f-3" })).thenRejected("KeyReused")
  })

  it("is refused with its detail", () => {
    const refusal = { subjectId: "s-1", code: "GONE", message: "It is gone", detail: "Use another endpoint", at }
    given(request, begun).when({ _tag: "RefuseRequest", ...refusal }).then({ _tag: "RequestRefused", ...refusal })
  })

  it("holds its key for exactly 24 hours", () => {
    const almost = "2026-11-22T04:59:59.999Z"
    const other = { ...request1, fingerprint: "f-2", subjectId: "s-2" }
    given(request, begun).when(begin({ ...other, at: almost })).thenRejected("KeyReused")
    given(request, begun).when(begin({ ...other, at: aDayLater })).then({ ...begun, ...other, at: aDayLater })
    given(request, begun).when(begin({ subjectId: "s-2", at: aDayLater }))
      .then({ ...begun, subjectId: "s-2", at: aDayLater })
  })

  it("is refused permanently once", () => {
    given(request, begun).when(refuse).then(refused)
    given(request, begun, refused).when(refuse).thenNothing()
    given(request, begun, refused).when(release).thenNothing()
  })

  it("releases its key for any request after a temporary failure", () => {
    given(request, begun).when(release).then(released)
    given(request, begun, released).when(begin({ fingerprint: "f-2", subjectId: "s-2" }))
      .then({ ...begun, fingerprint: "f-2", subjectId: "s-2" })
  })

  it("has no effect on a newer request with its key when it ends late", () => {
    const later: RequestEvent = { ...begun, subjectId: "s-2", at: aDayLater }
    given(request, begun, later).when(release).thenNothing()
    given(request, begun, later).when(refuse).thenNothing()
    given(request).when(release).thenNothing()
  })

  it("is remembered as long as its key is held", () => {
    const state = fold(request, [begun])
    assert.deepStrictEqual(requestInForce(state, at), begun)
    assert.isUndefined(requestInForce(state, aDayLater))
    assert.isUndefined(requestInForce(fold(request, [begun, released]), at))
  })
})

const ids = Schema.Literals(["s-1", "s-2", "s-3"])
const times = Schema.Literals([at, aDayLater])
const Command = Schema.TaggedUnion({
  BeginRequest: {
    branchId: Schema.Literal("b-1"),
    fingerprint: Schema.Literals(["f-1", "f-2"]),
    subjectId: ids,
    at: times
  },
  RefuseRequest: { subjectId: ids, code: Schema.String, message: Schema.String, at: times },
  ReleaseRequest: { subjectId: ids, at: times }
})

describe("any request with a key", () => {
  itObeysTheLaws(request, RequestEvent, Arbitrary.schema(Command))
})
