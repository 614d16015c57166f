import { Command } from "effect/cli"
import { at } from "./trail-at.ts"
import { signingKey, treeHeads } from "./trail-evidence.ts"
import { exported } from "./trail-export.ts"
import { forget } from "./trail-erase.ts"
import { checkProof, prove } from "./trail-proof.ts"
import { show } from "./trail-show.ts"
import { verify } from "./trail-verify.ts"

export const trail = Command.make("trail").pipe(
  Command.withDescription("The trail of events"),
  Command.withSubcommands([show, at, exported, forget, verify, prove, checkProof, treeHeads, signingKey])
)
