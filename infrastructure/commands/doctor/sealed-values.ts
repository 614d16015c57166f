import { Effect, Layer } from "effect"
import { BindingMarker } from "../../../application/sealed-values/binding-marker.ts"
import { countUnbound } from "../../../application/sealed-values/count-unbound.ts"
import { layerModelsReadOnly, type StoreSettings } from "../../runtime/stores.ts"
import { type Finding, findingsAbout } from "./finding.ts"

const { ok, warn } = findingsAbout("sealed values")

const check = Effect.gen(function* () {
  if (!(yield* (yield* BindingMarker).isSet)) {
    return warn(
      "values of the log may open in other records than their own, in events of any time",
      "when no process of an earlier version runs on this log, run sliptrail reseal; with a data folder, the next start "
        + "of the service ends this"
    )
  }
  const counts = yield* countUnbound
  if (counts === undefined) return ok("not counted while the read model unbound-values is built")
  const { bankAccounts, contacts, webhookSecrets } = counts
  if (bankAccounts + contacts + webhookSecrets === 0) {
    return ok("secrets and accounts open in their own record only")
  }
  return warn(
    `${webhookSecrets} webhook secrets, ${bankAccounts} bank accounts and ${contacts} contacts of account owners are bound to `
      + "no record yet",
    "run sliptrail reseal; with a data folder, stop the service first"
  )
})

/** Counts the secrets and accounts that an earlier version sealed. Read models that cannot be read are another finding. */
export const checkSealedValues = (settings: StoreSettings) =>
  check.pipe(
    Effect.provide(Layer.merge(BindingMarker.layer, layerModelsReadOnly(settings))),
    Effect.map((finding): ReadonlyArray<Finding> => [finding]),
    Effect.catchTag("ReadModelsError", () => Effect.succeed<ReadonlyArray<Finding>>([]))
  )
