import { Config, Duration, Schema } from "effect"
import { Delay, optional, secret, setting, withDefault } from "./setting.ts"

const Events = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

/** How the log is signed (see docs/proof.md). */
export const proofSettings = {
  checkpointEvents: setting(
    "CHECKPOINT_EVENTS",
    "1000",
    "events after which a checkpoint of the log is signed",
    withDefault(1_000, (name) => Config.schema(Events, name))
  ),
  checkpointInterval: setting(
    "CHECKPOINT_INTERVAL",
    "60 seconds",
    "how long after an event that none covers yet a checkpoint is signed at the latest",
    withDefault(Duration.seconds(60), (name) => Config.schema(Delay, name))
  ),
  checkpointFile: optional(
    "CHECKPOINT_FILE",
    "file that checkpoints are written to as well, to be shipped elsewhere; without it DATA_DIR/checkpoints.ndjson",
    Config.String
  ),
  signingKey: secret(
    "SIGNING_KEY",
    "Ed25519 private key that checkpoints are signed with, PKCS8 in DER, in base64; without it DATA_DIR/signing.key is made once; with EVENTSTORE_URL nothing is signed without it"
  )
} as const
