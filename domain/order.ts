import { Schema } from "effect"

/** The order of a list, by the time of its entries. */
export const Order = Schema.Literals(["oldest", "newest"])

export type Order = typeof Order.Type
