import { Schema } from "effect"

/**
 * What came of comparing the receiver of a slip with a branch's accounts: everything that the caller is told of it, as
 * it was then, so that the log can tell it again (docs/spec/http.md, "Matching an account").
 */
export const Matching = Schema.Struct({
  verdict: Schema.Literals(["match", "no_match", "indeterminate"]),
  isAmbiguous: Schema.Boolean,
  reasons: Schema.Array(Schema.String),
  /** The account that matched. */
  account: Schema.NullOr(Schema.Struct({
    id: Schema.String,
    bankCode: Schema.String,
    bankNumber: Schema.String,
    nameTh: Schema.String,
    nameEn: Schema.NullOr(Schema.String),
    type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"]))
  }))
})
export type Matching = typeof Matching.Type
