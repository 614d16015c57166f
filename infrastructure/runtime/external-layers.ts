import { Data, Duration, Layer } from "effect"
import { Pending } from "../../application/verification/ask-bank.ts"
import { layerEgress } from "../egress/layer.ts"
import { layerSlipReader } from "../pictures/slip-reader.ts"
import { layerInstrumentedEgress, layerInstrumentedSlipReader } from "../telemetry/instrumented/external.ts"
import type { Settings } from "../settings/settings.ts"
import { layerBanks } from "./gateways.ts"

/** A setting that can be read but not followed; `message` says what would do. */
export class SettingRefused extends Data.TaggedError("SettingRefused")<{ readonly message: string }> {}

/** The way out under the `EGRESS_*` settings. */
export const layerWayOut = ({ egressAllowCidrs, egressCaFile, egressHosts }: Settings) =>
  layerEgress({
    allowCidrs: egressAllowCidrs,
    hosts: Object.fromEntries(egressHosts.map((entry) => {
      const [name = "", ...address] = entry.split("=")
      return [name, address.join("=")]
    })),
    ...(egressCaFile === undefined ? {} : { caFile: egressCaFile }),
    userAgent: "SlipTrail"
  })

/** The world outside of the engines: banks, pictures, the network. */
export const layerOutside = (settings: Settings) =>
  Layer.mergeAll(
    layerBanks(settings),
    layerInstrumentedSlipReader.pipe(Layer.provide(layerSlipReader({ reader: settings.slipReader }))),
    layerInstrumentedEgress.pipe(Layer.provide(layerWayOut(settings))),
    Layer.succeed(Pending, {
      banks: settings.pendingBanks,
      windowMillis: Duration.toMillis(settings.pendingWindow)
    })
  )
