import type { Write } from "../../../ports/read-models.ts"
import { toRowText } from "./row-text.ts"

/** Writes as the flat list that the script of `apply` reads: a letter for the kind, then what belongs to it. */
export const toWriteArgs = (writes: ReadonlyArray<Write>): Array<string> => {
  const args: Array<string> = []
  for (const write of writes) {
    switch (write._tag) {
      case "SetFields":
        args.push("S", write.table, write.key, toRowText(write.fields))
        break
      case "DeleteRow":
        args.push("D", write.table, write.key)
        break
      case "AddMember":
        args.push("A", write.set, write.member, String(write.score))
        break
      case "RemoveMember":
        args.push("R", write.set, write.member)
    }
  }
  return args
}
