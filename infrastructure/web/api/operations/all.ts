import { bankAccounts } from "./bank-accounts.ts"
import { callbacks } from "./callbacks.ts"
import { information } from "./information.ts"
import { keys } from "./keys.ts"
import { later } from "./later.ts"
import { reading } from "./reading.ts"
import { v1 } from "./v1.ts"
import { verification } from "./verification.ts"
import { wallet } from "./wallet.ts"

/** Every operation of v2, by its id. */
export const v2Operations = {
  ...verification,
  ...wallet,
  ...later,
  ...reading,
  ...bankAccounts,
  ...callbacks,
  ...keys,
  ...information
}

/** Every operation of v1, by its id. */
export const v1Operations = v1
