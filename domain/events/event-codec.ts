import { Schema, SchemaAST } from "effect"
import { type Place, placedAt, type Sealed } from "../sealed.ts"
import type { Json, JsonObject, RecordedEvent } from "./recorded-event.ts"
import { recordOf } from "./sealed-record.ts"

/** How the events of an aggregate are stored: the tag is the event's type, the other fields are its data. */
export interface EventCodec<Event> {
  /**
   * Throws on a field that the schema does not have, at any depth: decoding would lose it. The fields of the data are
   * in the order of the schema.
   */
  readonly encode: (event: Event) => { readonly type: string; readonly data: JsonObject }
  /**
   * Throws on an unknown type or shape: a decision that ignores an event would be wrong. Sealed values have their place
   * (domain/sealed.ts).
   */
  readonly decode: (recorded: RecordedEvent) => Event
}

/** A field that is undefined is not stored. */
type Tagged = { readonly [name: string]: Json | undefined } & { readonly _tag: string }

/** Makes a codec from the aggregate's event schema. The fields are plain JSON and stored as they are. */
export const eventCodec = <Event extends Tagged>(
  schema: Schema.Codec<Event, unknown> & { readonly cases: Readonly<Record<Event["_tag"], Schema.Top>> }
): EventCodec<Event> => {
  const decodeSync = Schema.decodeUnknownSync(schema)
  const shapes = new Map(Object.entries<Schema.Top>(schema.cases).map(([type, { ast }]) => [type, shapeOf(ast)]))
  const sealedFields = new Map([...shapes].map(([type, shape]) => [type, sealedFieldsOf(shape)]))
  return {
    encode: (event) => {
      const { _tag: type } = event
      const shape = shapes.get(type)
      const unknown = shape === undefined ? "_tag" : unknownField(event as JsonObject, shape)
      if (shape === undefined || unknown !== undefined) {
        throw new Error(`${type} has a field that its schema does not name: ${unknown}`)
      }
      const data: Record<string, Json> = {}
      for (const name of shape.keys()) {
        const value = event[name]
        if (name !== "_tag" && value !== undefined) data[name] = value
      }
      return { type, data }
    },
    decode: (recorded) => {
      const { data, type } = recorded
      const event = decodeSync({ ...data, _tag: type })
      placeSealed(event, sealedFields.get(type) ?? [], recorded)
      return event
    }
  }
}

/** The fields of an object, each with the shape of its value. An array has the shape of its items. */
type Shape = ReadonlyMap<string, Shape | undefined>

/** Undefined for a value without fields. A union has the shape of its only member with fields. */
const shapeOf = (ast: SchemaAST.AST): Shape | undefined => {
  if (SchemaAST.isObjects(ast)) {
    return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), shapeOf(type)]))
  }
  const parts = SchemaAST.isUnion(ast) ? ast.types : SchemaAST.isArrays(ast) ? ast.rest : []
  return parts.map(shapeOf).find((shape) => shape !== undefined)
}

/** The fields that hold a sealed value. */
const sealedFieldsOf = (shape: Shape | undefined): ReadonlyArray<string> =>
  [...shape ?? []].flatMap(([name, field]) =>
    field?.size === 3 && ["k", "n", "c"].every((part) => field.has(part)) ? [name] : []
  )

/** For a field that the schema has checked: the value is a sealed one, null or absent. */
const isThere = (value: Json | undefined): value is Sealed => typeof value === "object" && value !== null

const placeSealed = (event: Tagged, fields: ReadonlyArray<string>, recorded: RecordedEvent): void => {
  if (fields.length === 0) return
  const place: Place = { record: recordOf(recorded), position: recorded.position }
  for (const name of fields) {
    const value = event[name]
    if (isThere(value)) placedAt(value, place)
  }
}

/** The path of the first field that a shape does not name. */
const unknownField = (value: Json | undefined, shape: Shape | undefined): string | undefined => {
  if (shape === undefined || typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) return value.map((item) => unknownField(item, shape)).find((path) => path !== undefined)
  const object = value as JsonObject
  for (const name of Object.keys(object)) {
    if (!shape.has(name)) return name
    const unknown = unknownField(object[name], shape.get(name))
    if (unknown !== undefined) return `${name}.${unknown}`
  }
  return undefined
}
