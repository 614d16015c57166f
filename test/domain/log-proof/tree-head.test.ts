import { assert, describe, it } from "@effect/vitest"
import {
  addLeaf,
  beginBlock,
  closeBlock,
  countOf,
  digestOf,
  leafOf,
  noChain,
  type ProvenEvent,
  readTreeHead,
  signedText,
  type TreeHead,
  treeHeadLine
} from "../../../domain/log-proof/tree-head.ts"
import { toHex } from "../../../domain/hex.ts"
import { sha256 } from "../../../infrastructure/platform/sha256.ts"

const event: ProvenEvent = {
  position: "7/7",
  id: "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d",
  stream: "slip-1",
  revision: 0,
  type: "SlipVerified",
  data: { amount: 150_050, bank: { code: "004" } },
  metadata: { at: "2026-11-21T00:00:00.000Z", schema: 1 }
}

const blockOf = (events: ReadonlyArray<ProvenEvent>) =>
  events.reduce((block, one) => addLeaf(sha256, block, leafOf(sha256, one)), beginBlock(0, noChain))

const closed = (events: ReadonlyArray<ProvenEvent>): TreeHead => ({
  ...closeBlock(sha256, blockOf(events), {
    position: "7/7",
    previous: undefined,
    at: "2026-11-21T00:01:00.000Z",
    keyId: "k"
  }),
  signature: "s"
})

describe("the leaf of an event", () => {
  it("is the hash of a zero byte and its canonical fields", () => {
    const text = '["7/7","5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d","slip-1",0,"SlipVerified",'
      + '{"amount":150050,"bank":{"code":"004"}},{"at":"2026-11-21T00:00:00.000Z","schema":1}]'
    const expected = sha256(Buffer.concat([Buffer.of(0), Buffer.from(text)]))
    assert.strictEqual(toHex(leafOf(sha256, event)), toHex(expected))
  })

  it("changes with every field", () => {
    const others: ReadonlyArray<Partial<ProvenEvent>> = [
      { position: "8/7" },
      { id: "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1e" },
      { stream: "slip-2" },
      { revision: 1 },
      { type: "SlipVerifiedAgain" },
      { data: { ...event.data, amount: 150_051 } },
      { data: { ...event.data, more: null } },
      { metadata: { ...event.metadata, schema: 2 } }
    ]
    const leaves = [{}, ...others].map((change) => toHex(leafOf(sha256, { ...event, ...change })))
    assert.strictEqual(new Set(leaves).size, leaves.length)
  })
})

describe("a signed tree head", () => {
  it("counts the covered events and names the previous tree head", () => {
    const first = closed([event, event])
    assert.deepInclude(first, { number: 1, from: 0, count: 2, previous: null })
    const block = addLeaf(sha256, beginBlock(countOf(blockOf([event, event])), noChain), leafOf(sha256, event))
    const second = closeBlock(sha256, block, { position: "9/9", previous: first, at: "", keyId: "k" })
    assert.deepInclude(second, { number: 2, from: 2, count: 3, previous: digestOf(sha256, first) })
  })

  it("depends on the events and their order", () => {
    const other = { ...event, position: "8/8" }
    const all = [[event], [other], [event, other], [other, event], [event, event]].map(closed)
    assert.strictEqual(new Set(all.map(({ chainHash }) => chainHash)).size, all.length)
    assert.strictEqual(new Set(all.map(({ merkleRoot }) => merkleRoot)).size, all.length)
  })

  it("is signed over all fields except the signature", () => {
    const treeHead = closed([event])
    const { signature: _, ...others } = treeHead
    assert.deepStrictEqual(JSON.parse(signedText(treeHead)), others)
  })

  it("is decoded from its line, and other values are refused", () => {
    const treeHead = closed([event])
    assert.deepStrictEqual(readTreeHead(JSON.parse(treeHeadLine(treeHead))), treeHead)
    const { signature: _, ...unsigned } = treeHead
    const wrong = [
      null,
      {},
      unsigned,
      { ...treeHead, more: 1 },
      { ...treeHead, number: 0 },
      { ...treeHead, count: 1.5 },
      { ...treeHead, position: "7" },
      { ...treeHead, chainHash: treeHead.chainHash.toUpperCase() },
      { ...treeHead, previous: "" }
    ]
    for (const value of wrong) assert.isUndefined(readTreeHead(value), JSON.stringify(value))
  })
})
