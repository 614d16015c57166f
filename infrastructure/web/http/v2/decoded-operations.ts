import { later } from "../../api/operations/later.ts"
import { verification } from "../../api/operations/verification.ts"
import { wallet } from "../../api/operations/wallet.ts"
import { decodedBy } from "../operations/decode-request.ts"
import { decodeBatch } from "./batch-request.ts"
import { decodeEnqueue, decodeSource, decodeVerify } from "./verify-request.ts"
import { decodeWalletBatch, decodeWalletEnqueue, decodeWalletVerify } from "./wallet-request.ts"

/** The operations that take a slip: exactly one source, and rules between fields. */
export const slipOperations = {
  verifyBank: decodedBy(verification.verifyBank, { decodeBody: decodeVerify }),
  verifyBankAsync: decodedBy(later.verifyBankAsync, { decodeBody: decodeEnqueue }),
  verifyBankBatch: decodedBy(later.verifyBankBatch, { decodeBody: decodeBatch }),
  verifyWallet: decodedBy(wallet.verifyWallet, { decodeBody: decodeWalletVerify }),
  verifyWalletAsync: decodedBy(wallet.verifyWalletAsync, { decodeBody: decodeWalletEnqueue }),
  verifyWalletBatch: decodedBy(wallet.verifyWalletBatch, { decodeBody: decodeWalletBatch }),
  decode: decodedBy(verification.decode, { decodeBody: decodeSource })
} as const
