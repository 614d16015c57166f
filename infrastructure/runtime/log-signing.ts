import { Duration, Effect, Layer } from "effect"
import { LogSigning } from "../web/http/server/log-signing.ts"
import { pemOf } from "../adapters/notary/signing-keys.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { canSign, NEVER_SIGNED, publicKeysOf, type SigningSettings } from "./log-proof.ts"

/** The public keys of the settings, for auditors. Read at each request, because a start may add a key. */
export const layerLogSigning = (settings: SigningSettings & Pick<Settings, "checkpointInterval">) =>
  Layer.succeed(
    LogSigning,
    LogSigning.of({
      publicKeys: publicKeysOf(settings).pipe(
        Effect.map((keys) => keys.map(pemOf).join("")),
        Effect.catchTag("SigningKeyError", () => Effect.undefined)
      ),
      neverSigned: canSign(settings) ? undefined : NEVER_SIGNED,
      intervalMillis: Duration.toMillis(settings.checkpointInterval)
    })
  )
