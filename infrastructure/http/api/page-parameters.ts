import { Schema } from "effect"

/** Most entries of a page of a list. */
const page = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))

/** `cursor` and `limit` of a list. */
export const pageParameters = [
  {
    name: "cursor",
    in: "query",
    description: "`nextCursor` of the page before; without it the list begins.",
    schema: Schema.String,
    isRequired: false
  },
  {
    name: "limit",
    in: "query",
    description: "Most entries of the page.",
    schema: page.annotate({ default: 50 }),
    isRequired: false
  }
] as const
