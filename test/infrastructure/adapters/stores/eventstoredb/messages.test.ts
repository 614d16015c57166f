import { assert, describe, it } from "@effect/vitest"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import { Buffer } from "node:buffer"
import { randomUUID } from "node:crypto"
import {
  decodeAppendAnswer,
  encodeAppend,
  toAppend
} from "../../../../../infrastructure/adapters/stores/eventstoredb/append.ts"
import {
  encodeMessage,
  field,
  MessageReader
} from "../../../../../infrastructure/adapters/stores/eventstoredb/protobuf.ts"
import { decodeReadAnswer } from "../../../../../infrastructure/adapters/stores/eventstoredb/read-answer.ts"
import { UnreadableEvent } from "../../../../../infrastructure/adapters/stores/eventstoredb/store-error.ts"
import { newEvent, newEvents } from "../../../../contracts/event-store-events.ts"
import type { Logged } from "../../../../support/eventstore-server/log.ts"
import {
  caughtUpMessage,
  checkpointMessage,
  eventMessage,
  notFoundMessage
} from "../../../../support/eventstore-server/messages.ts"

// The generated classes of the vendor's package are the other side of each comparison.

const bytesOf = (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary())

const logged = (change: Partial<Logged> = {}): Logged => ({
  id: "0f8fad5b-d9cb-469f-a165-70867728950e",
  stream: "slip-ไทย",
  revision: 0,
  type: "SlipVerified",
  contentType: "application/json",
  data: Buffer.from('{"satang":1}'),
  metadata: Buffer.from('{"at":"x"}'),
  position: { commit: 1n, prepare: 0n },
  created: 17_000_000_000_123_456_789n,
  ...change
})

describe("an encoded append", () => {
  it("is what the server's classes read", () => {
    const data = { note: "สวัสดี 🙂", long: "x".repeat(70_000) }
    const events = [...newEvents(2), newEvent(data)]
    for (const expected of ["no-stream", 0, 1, 127, 128, 300_000, 2 ** 40 + 5] as const) {
      const read = streams.BatchAppendReq.deserializeBinary(
        encodeAppend("correlation", toAppend("slip-ไทย", expected, events))
      )
      const options = read.getOptions()
      assert.strictEqual(read.getCorrelationId()?.getString(), "correlation")
      assert.strictEqual(
        Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
        "slip-ไทย"
      )
      assert.strictEqual(options?.hasNoStream(), expected === "no-stream")
      assert.strictEqual(options?.getStreamPosition(), expected === "no-stream" ? "0" : String(expected))
      assert.isTrue(read.getIsFinal())
      const proposed = read.getProposedMessagesList().map((message) => ({
        id: message.getId()?.getString(),
        type: message.getMetadataMap().get("type"),
        contentType: message.getMetadataMap().get("content-type"),
        data: JSON.parse(Buffer.from(message.getData_asU8()).toString()),
        metadata: JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString())
      }))
      assert.deepStrictEqual(
        proposed,
        events.map(({ data, id, metadata, type }) => ({
          id,
          type,
          contentType: "application/json",
          data,
          metadata: { ...metadata }
        }))
      )
    }
  })
})

describe("the answer to an append", () => {
  const answer = (fill: (success: InstanceType<typeof streams.BatchAppendResp.Success>) => void) => {
    const response = new streams.BatchAppendResp()
    const id = new shared.UUID()
    id.setString(randomUUID())
    response.setCorrelationId(id)
    const success = new streams.BatchAppendResp.Success()
    fill(success)
    response.setSuccess(success)
    return { id: id.getString(), ...decodeAppendAnswer(bytesOf(response)) }
  }

  it("has revision and position, also where they are large or 0", () => {
    for (const [revision, commit] of [["0", "0"], ["1", "127"], ["200", "562949953421312"], ["7", String(2n ** 63n)]]) {
      const { correlationId, id, outcome } = answer((success) => {
        const position = new shared.AllStreamPosition()
        position.setCommitPosition(commit ?? "")
        position.setPreparePosition(commit ?? "")
        success.setCurrentRevision(revision ?? "")
        success.setPosition(position)
      })
      assert.strictEqual(correlationId, id)
      const position = { commit: BigInt(commit ?? 0), prepare: BigInt(commit ?? 0) }
      assert.deepStrictEqual(outcome, { _tag: "Appended", appended: { revision: Number(revision), position } })
    }
  })

  it("fails without a position", () => {
    assert.strictEqual(answer((success) => success.setCurrentRevision("1")).outcome._tag, "Failed")
  })
})

describe("the answer to a read", () => {
  it("has every field of the event", () => {
    for (const commit of [0n, 5n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n + 1n, 2n ** 63n + 1n]) {
      const event = logged({ revision: 300, position: { commit, prepare: commit / 2n } })
      assert.deepStrictEqual(decodeReadAnswer(bytesOf(eventMessage(event))), {
        event: {
          id: event.id,
          type: event.type,
          stream: event.stream,
          revision: 300,
          data: { satang: 1 },
          metadata: JSON.parse('{"at":"x"}'),
          position: event.position,
          recordedAt: 1_700_000_000_012_345
        },
        checkpoint: undefined,
        isNotFound: false
      })
    }
  })

  it("has the checkpoint, or nothing", () => {
    const { checkpoint, event } = decodeReadAnswer(bytesOf(checkpointMessage(logged())))
    assert.deepStrictEqual([checkpoint, event], [{ commit: 1n, prepare: 0n }, undefined])
    const caughtUp = decodeReadAnswer(bytesOf(caughtUpMessage()))
    assert.deepStrictEqual(caughtUp, { event: undefined, checkpoint: undefined, isNotFound: false })
    assert.isTrue(decodeReadAnswer(bytesOf(notFoundMessage("slip-1"))).isNotFound)
  })

  it("names the event that this service cannot have written", () => {
    const unreadable: ReadonlyArray<Partial<Logged>> = [
      { contentType: "application/octet-stream" },
      { data: Buffer.from("[1]") },
      { data: Buffer.from("{") },
      { metadata: Buffer.alloc(0) },
      { position: { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n } }
    ]
    for (const change of unreadable) {
      const bytes = bytesOf(eventMessage(logged({ revision: 4, ...change })))
      assert.throws(() => decodeReadAnswer(bytes), UnreadableEvent, /event 4 of slip-ไทย has/u)
    }
  })
})

describe("a message", () => {
  it("may have fields that the reader does not know", () => {
    const bytes = Buffer.concat([
      // Field 20 in two bytes, 8 bytes wide; field 9, 4 bytes wide; field 30, a number of two bytes.
      Buffer.from([0xa1, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0x4d, 1, 2, 3, 4, 0xf0, 0x01, 0x80, 0x01]),
      encodeMessage([field(1, "kept")])
    ])
    const reader = new MessageReader(bytes)
    const seen: Array<number> = []
    let text = ""
    while (reader.next()) {
      seen.push(reader.field)
      if (reader.field === 1) text = reader.text()
    }
    assert.deepStrictEqual([seen, text], [[20, 9, 30, 1], "kept"])
  })

  it("is refused when it ends early", () => {
    const whole = encodeMessage([field(1, "text"), field(2, 300)])
    const readAll = (bytes: Buffer) => {
      const reader = new MessageReader(bytes)
      while (reader.next());
      return reader.field
    }
    assert.strictEqual(readAll(whole), 2)
    for (const length of [1, 2, 5, 7, 8]) {
      assert.throws(() => readAll(whole.subarray(0, length)), "a message ends too early")
    }
  })
})
