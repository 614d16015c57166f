/**
 * Everything that a span may say, apart from its name, its times and its place in the trace. Names are those of
 * OpenTelemetry's conventions where there is one. None of these ever holds personal data, a key, a payload or the path
 * of a URL: hosts, codes, counts and ids of SlipTrail's own alone.
 */
const told: ReadonlySet<string> = new Set([
  "db.collection.name",
  "db.operation.name",
  "db.system.name",
  "error.type",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "messaging.batch.message_count",
  "messaging.destination.name",
  "messaging.operation.name",
  "messaging.operation.type",
  "messaging.system",
  "peer.service",
  "server.address",
  "url.scheme",
  "sliptrail.answer",
  "sliptrail.attempt",
  "sliptrail.branch.id",
  "sliptrail.interrupted",
  "sliptrail.job.id",
  "sliptrail.outcome",
  "sliptrail.request.id",
  "sliptrail.sending_bank",
  "sliptrail.source"
])

export const isTold = (name: string): boolean => told.has(name)
