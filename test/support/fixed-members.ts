import { Schema } from "effect"

/** Shapes of writes to a fixed set, in which every member has one score. */
export const fixedMembers = ([["a", 2.5], ["b", 0], ["c", 0]] as const).flatMap(([member, score]) => {
  const place = { set: Schema.Literal("fixed"), member: Schema.Literal(member) }
  return [
    Schema.TaggedStruct("AddMember", { ...place, score: Schema.Literal(score), isFixed: Schema.Literal(true) }),
    Schema.TaggedStruct("RemoveMember", { ...place, fixedScore: Schema.Literal(score) })
  ]
})
