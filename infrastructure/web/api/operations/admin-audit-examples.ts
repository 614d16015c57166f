import { ids } from "../examples.ts"
import { branch } from "./admin-examples.ts"

const at = "2026-11-22T03:20:11.412Z"

export const act = {
  at,
  operator: "somchai",
  surface: "api",
  kind: "WebhookUrlSet",
  summary: "Webhook URL set to https://shop.example/slip-results",
  subject: { kind: "branch", id: branch.id },
  requestId: ids.request,
  position: "1042/1042"
}

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const event = {
  position: "1042/1042",
  id: "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d",
  stream: `branch-${branch.id}`,
  revision: 7,
  type: "WebhookUrlSet",
  data: { url: "https://shop.example/slip-results" },
  metadata: {
    at,
    correlationId: ids.request,
    causationId: "0b6f0c51-7a0e-4b57-9f5d-0d4b3c9c9f10",
    actor: { kind: "admin", id: "api", operator: "somchai" },
    schema: 1
  }
}

const treeHead = {
  number: 2,
  from: 1000,
  count: 2000,
  position: "2000/2000",
  chainHash: hash,
  merkleRoot: hash,
  previous: hash,
  at,
  keyId: "4ba9bde9f1b9c0de",
  signature: "T05MWSBBTiBFWEFNUExFLCBOT1QgQSBTSUdOQVRVUkUhISE="
}

export const exportedLine = `${JSON.stringify(event)}\n`
export const csvHeader = "position,id,stream,revision,type,at,actorKind,actorId"
export const treeHeadLine = `${JSON.stringify(treeHead)}\n`

export const proof = {
  format: "sliptrail-proof/1",
  about: { kind: "verification", id: "6f1f0d0c-6d44-4f0c-8a51-0c5f3f5d2a10" },
  entries: [{ event, checkpoint: 2, index: 41, path: [hash] }],
  checkpoints: [treeHead]
}

export const publicKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAp4QoHUmDFsXberX//UCNsRoXMs0cRXWK0eyjjqg+nM0=
-----END PUBLIC KEY-----
`
