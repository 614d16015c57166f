import { Context, Data, Effect } from "effect"
import { TRUEMONEY, walletTransRef } from "../../domain/slip/wallet-payload.ts"
import type { SlipPayload } from "../../domain/slip/payload.ts"
import { BankGateway, type SlipPicture } from "../../ports/bank-gateway.ts"
import { type FairPermits, makeFairPermits, NoPermit } from "../fairness/fair-permits.ts"
import {
  NoSlip,
  onlySlip,
  ReaderUnavailable,
  readImage,
  readSlip,
  type SlipKind,
  type SlipSource,
  WrongSlipKind
} from "./slip-source.ts"

/** A TrueMoney slip, with the picture that gateways need. */
export interface WalletSlip {
  readonly sendingBank: typeof TRUEMONEY
  /** `TW` and the transaction id. */
  readonly transRef: string
  readonly transactionId: string
  readonly picture: SlipPicture
}

export type Slip = SlipPayload | WalletSlip

/** No gateway of this installation can verify TrueMoney slips. */
export class WalletsNotSupported extends Data.TaggedError("WalletsNotSupported")<{}> {}

/** Fails when no gateway can verify TrueMoney slips. */
export const requireWalletGateway = Effect.flatMap(
  BankGateway,
  ({ verifiesWallets }) => verifiesWallets ? Effect.void : Effect.fail(new WalletsNotSupported())
)

/**
 * Permits to hold the picture of a TrueMoney slip until its verification ends, which takes as long as the vendor. The
 * pictures under a permit hold at most 256 MiB.
 */
export const WalletPictures = Context.Reference<FairPermits>("sliptrail/application/WalletPictures", {
  defaultValue: () => makeFairPermits({ size: 48, perKey: 16, spare: 16, maxWaiting: 128, maxWait: "3 seconds" })
})

/** Runs a verification. That of a TrueMoney slip needs a permit of the branch. */
export const holdingPicture = <A, E, R>(
  { branchId, kind }: { readonly branchId: string; readonly kind?: SlipKind },
  verification: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ReaderUnavailable, R> =>
  kind !== "truemoney" ? verification : Effect.flatMap(
    WalletPictures,
    ({ withPermit }) => withPermit(branchId)(verification)
  ).pipe(
    Effect.catchIf(
      (error) => error instanceof NoPermit,
      ({ reason }) => Effect.fail(new ReaderUnavailable({ reason: reason === "own-share" ? "branch-busy" : "busy" }))
    )
  )

/**
 * Reads a TrueMoney slip. Its QR code must be readable: without the transaction id, neither duplicates nor the vendor's
 * answer can be checked, and a picture of anything would leave the installation.
 */
const readWalletSlip = Effect.fnUntraced(function* (source: SlipSource, branchId: string) {
  // The endpoints refuse a text: no vendor accepts it.
  if (source._tag === "Payload") return yield* new NoSlip({ reason: "no-wallet-qr" })
  const reading = yield* readImage(source, branchId)
  const found = yield* onlySlip(reading)
  if (found === undefined) {
    return yield* new NoSlip({ reason: reading.texts.length === 0 ? "no-qr" : "no-wallet-qr" })
  }
  if (found.kind === "bank") return yield* new WrongSlipKind({ found: "bank" })
  const { transactionId } = found
  const slip: WalletSlip = {
    sendingBank: TRUEMONEY,
    transRef: walletTransRef(transactionId),
    transactionId,
    picture: { bytes: reading.bytes, format: reading.format }
  }
  return slip
})

/** Reads the slip of a source that should hold one of this kind. */
export const readSlipOf = (kind: SlipKind, source: SlipSource, branchId: string) =>
  kind === "bank"
    ? Effect.map(readSlip(source, branchId), (slip): Slip => slip)
    : Effect.map(readWalletSlip(source, branchId), (slip): Slip => slip)
