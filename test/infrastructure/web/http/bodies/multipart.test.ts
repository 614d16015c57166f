import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type BodyTask, decodeBody, MULTIPART } from "../../../../../infrastructure/web/http/bodies/decode-body.ts"
import { runs } from "../../../../support/runs.ts"

const LIMITS = { depth: 32, values: 5_000, items: 2_000, keys: 256 }
const BOUNDARY = "b1"

const taskOf = (form: Uint8Array, contentType: string): BodyTask => ({
  bytes: new Uint8Array(form),
  mediaType: MULTIPART,
  contentType,
  limits: LIMITS,
  isSlip: false,
  digestRoute: undefined
})

/** The fields of a form, files as their bytes in Latin-1; or what is wrong with it. */
const read = (
  form: string | Buffer,
  contentType = `${MULTIPART}; boundary=${BOUNDARY}`
): Readonly<Record<string, unknown>> | string => {
  const bytes = typeof form === "string" ? Buffer.from(form, "latin1") : form
  const decoded = decodeBody(taskOf(bytes, contentType))
  if ("fault" in decoded) return decoded.fault
  return Object.fromEntries(
    Object.entries(decoded.fields).map((
      [name, value]
    ) => [name, value instanceof Uint8Array ? { file: Buffer.from(value).toString("latin1") } : value])
  )
}

const formOf = (...parts: ReadonlyArray<string>): string =>
  `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("")}--${BOUNDARY}--\r\n`

/** A part: the rest of its Content-Disposition, further headers, and its content. */
const part = (disposition: string, content: string, ...headers: ReadonlyArray<string>): string =>
  [`Content-Disposition: form-data; ${disposition}`, ...headers, "", content].join("\r\n")

const PNG = "\x89PNG\r\n\x1a\n"

describe("a part of a form", () => {
  it.each([
    ["a usual file", `name="image"; filename="slip.png"`],
    ["an escaped quote", `name="image"; filename="a\\"b.png"`],
    ["an escaped backslash", `name="image"; filename="a\\\\"`],
    ["a path of Windows", `name="image"; filename="C:\\slips\\new.png"`],
    ["a backslash at its end", `name="image"; filename="slip\\"`],
    ["a quote that is not escaped", `name="image"; filename="a"b.png"`],
    ["a quote as browsers write it", `name="image"; filename="a%22b.png"`],
    ["semicolons", `name="image"; filename="a;b; name=c.png"`],
    ["RFC 5987", `name="image"; filename*=UTF-8''%e0%b8%aa.png`],
    ["both ways", `name="image"; filename="s.png"; filename*=UTF-8''%e0%b8%aa.png`],
    ["no quotes", `name=image; filename=slip.png`],
    ["no quotes, and spaces", `name=image; filename=my new slip.png`],
    ["the name of the file first", `filename="slip.png"; name="image"`],
    ["no spaces", `name="image";filename="slip.png";`],
    ["many spaces", `name = "image" ; filename = "slip.png" `],
    ["capitals", `NAME="image"; FILENAME="slip.png"`],
    ["UTF-8", `name="image"; filename="\xe0\xb8\xaa.png"`],
    ["an encoding of Thai before UTF-8", `name="image"; filename="\xca\xc5.png"`],
    ["an empty name of the file", `name="image"; filename=""`]
  ])("is a file when its file is named with %s", (_, disposition) => {
    assert.deepStrictEqual(read(formOf(part(disposition, PNG))), { image: { file: PNG } })
    assert.deepStrictEqual(read(formOf(part(disposition, PNG, "Content-Type: image/png"))), { image: { file: PNG } })
  })

  it.each(["image", "file"])(
    "of the name %s is a file by its type or its bytes, without a name of the file",
    (name) => {
      const typed = (type: string, content: string) =>
        read(formOf(part(`name="${name}"`, content, `Content-Type: ${type}`)))
      for (const type of ["image/png", "application/octet-stream", "IMAGE/JPEG; q=1"]) {
        assert.deepStrictEqual(typed(type, "abc"), { [name]: { file: "abc" } })
      }
      for (const type of ["text/plain", "text/plain; charset=utf-8", ""]) {
        assert.deepStrictEqual(typed(type, "abc"), { [name]: "abc" })
        assert.deepStrictEqual(typed(type, PNG), { [name]: { file: PNG } })
      }
      assert.deepStrictEqual(read(formOf(part(`name="${name}"`, PNG))), { [name]: { file: PNG } })
      assert.deepStrictEqual(read(formOf(part(`name="${name}"`, "https://a.example"))), { [name]: "https://a.example" })
    }
  )

  it("of another name is text, whatever its type", () => {
    const conditions = part(`name="conditions"`, "{}", "Content-Type: application/json")
    assert.deepStrictEqual(read(formOf(conditions)), { conditions: "{}" })
    assert.deepStrictEqual(read(formOf(part(`name="remark"`, "a", "Content-Type: image/png"))), { remark: "a" })
    assert.strictEqual(read(formOf(part(`name="remark"`, "\xca\xc5"))), "The form is not encoded in UTF-8")
  })

  it("counts as absent when it is empty and names no file", () => {
    for (const disposition of [`name="image"; filename=""`, `name="image"`, `name="remark"`]) {
      assert.deepStrictEqual(read(formOf(part(disposition, "", "Content-Type: application/octet-stream"))), {})
    }
    assert.deepStrictEqual(read(formOf(part(`name="image"; filename="a"`, ""))), { image: { file: "" } })
    // Without the empty line's end, the delimiter follows at once.
    assert.deepStrictEqual(read(`--b1\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b1--`), {})
  })

  it("may be folded, and encoded as mail programs do", () => {
    const folded =
      `content-disposition: form-data;\r\n\tname="image";\r\n filename="a.png"\r\nX-Other: 1\r\nX-Other: 2\r\n\r\n${PNG}`
    assert.deepStrictEqual(read(formOf(folded)), { image: { file: PNG } })
    const encoded = (encoding: string, content: string) =>
      read(formOf(part(`name="remark"`, content, `Content-Transfer-Encoding: ${encoding}`)))
    assert.deepStrictEqual(encoded("base64", "YWJj"), { remark: "abc" })
    assert.deepStrictEqual(["7bit", "8BIT", "binary"].map((encoding) => encoded(encoding, "abc")), [
      { remark: "abc" },
      { remark: "abc" },
      { remark: "abc" }
    ])
    assert.include(JSON.stringify(encoded("quoted-printable", "=41")), "Content-Transfer-Encoding")
  })
})

describe("the boundary of a form", () => {
  const inside = [
    "b1",
    "--b1",
    "--b1--",
    "x --b1\r\n y",
    "x\n--b1\n y",
    "\r\n--b1x",
    "a\r\n--b12\r\nb",
    "a\r\n--b1--x\r\nb",
    "\r\n-- b1",
    "\r\n--b1 x",
    "--b1 x\r\n".repeat(150)
  ]
  it.each(inside.map((content) => [JSON.stringify(content), content] as const))(
    "may occur in content that is no line of its own: %s",
    (_, content) => {
      const file = `x${content}y`
      assert.deepStrictEqual(read(formOf(part(`name="image"; filename="a"`, file), part(`name="c"`, "1"))), {
        image: { file },
        c: "1"
      })
    }
  )

  it.each([
    [`boundary="b1"`, "b1"],
    [`Boundary = "b1" ; charset=utf-8`, "b1"],
    [`charset=utf-8;boundary=b1`, "b1"],
    [`boundary="a;b c=d"`, "a;b c=d"],
    [`boundary="a\\"b"`, `a"b`],
    [`boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW`, "----WebKitFormBoundary7MA4YWxkTrZu0gW"],
    [`boundary='b1'`, `'b1'`]
  ])("is read from %s", (params, boundary) => {
    const form = `--${boundary}\r\n${part(`name="a"`, "1")}\r\n--${boundary}--\r\n`
    assert.deepStrictEqual(read(form, `${MULTIPART}; ${params}`), { a: "1" })
  })

  it("has spaces after it, text before it and text behind it", () => {
    const form = formOf(part(`name="a"`, "1"))
    const padded = form.replace("--b1\r\n", "--b1 \t\r\n").replace("--b1--\r\n", "--b1-- \r\n")
    for (
      const text of [padded, `\r\n${form}`, `preamble b1\r\n${form}`, `${form}epilogue\r\n--b1\r\n`, form.trimEnd()]
    ) {
      assert.deepStrictEqual(read(text), { a: "1" })
    }
  })

  it("and all lines may end with LF alone", () => {
    const file = "a\r\nb\n"
    const form = formOf(part(`name="image"; filename="a"`, "?"), part(`name="c"`, "1")).replaceAll("\r\n", "\n")
    assert.deepStrictEqual(read(form.replace("?", file)), { image: { file }, c: "1" })
  })

  it.each([
    ["no boundary", formOf(part(`name="a"`, "1")), MULTIPART, "names no boundary"],
    ["an empty boundary", formOf(part(`name="a"`, "1")), `${MULTIPART}; boundary=`, "names no boundary"],
    ["a boundary of 201 characters", "", `${MULTIPART}; boundary=${"b".repeat(201)}`, "names no boundary"],
    ["another boundary", formOf(part(`name="a"`, "1")), `${MULTIPART}; boundary=c`, "does not contain the boundary"],
    ["nothing", "", undefined, "does not contain the boundary"],
    ["no final boundary", formOf(part(`name="a"`, "1")).replace("--b1--", ""), undefined, "no final boundary"],
    ["half of the final boundary", formOf(part(`name="a"`, "1")).slice(0, -4), undefined, "no final boundary"],
    ["half of a part", formOf(part(`name="a"`, "1")).slice(0, 30), undefined, "no final boundary"],
    ["no name", formOf(`Content-Disposition: form-data\r\n\r\n1`), undefined, "has no name"],
    ["no header", formOf("\r\n1"), undefined, "has no name"],
    ["another disposition", formOf(`Content-Disposition: attachment; name="a"\r\n\r\n1`), undefined, "has no name"],
    ["two names", formOf(part(`name="a"; name="b"`, "1")), undefined, "has no name"],
    ["a line that is no header", formOf(`nonsense\r\n${part(`name="a"`, "1")}`), undefined, "are malformed"],
    [
      "two dispositions",
      formOf(`${part(`name="a"`, "1")}`.replace("\r\n\r\n", `\r\nContent-Disposition: x\r\n\r\n`)),
      undefined,
      "are malformed"
    ],
    ["a field twice", formOf(part(`name="a"`, "1"), part(`name="a"`, "2")), undefined, "Send each field once."],
    [
      "101 fields",
      formOf(...Array.from({ length: 101 }, (_, n) => part(`name="a${n}"`, "1"))),
      undefined,
      "more than 100 fields"
    ],
    ["long headers", formOf(part(`name="a"`, "1", `X: ${"y".repeat(17_000)}`)), undefined, "more than 16384 bytes"]
  ])("is missed by name in a form with %s", (_, form, contentType, message) => {
    assert.include(JSON.stringify(read(form, contentType)), message)
  })
})

describe("a form", () => {
  const Content = Schema.Array(Schema.Literals(["\r", "\n", "-", "b", "1", "\r\n--b1", "x", "\x00", "\xff", '"']))

  it.prop("that a correct client writes is read as it was written", [Content, Content], ([first, second]) => {
    // A correct client takes a boundary that does not occur in the content.
    const [one, two] = [first.join(""), second.join("")]
    const boundary = `b1-${[one, two].join().length}`
    const form = [
      `--${boundary}\r\n${part(`name="image"; filename="a"`, one)}`,
      `--${boundary}\r\n${part(`name="file"; filename="b"`, two)}`,
      `--${boundary}--\r\n`
    ].join("\r\n")
    assert.deepStrictEqual(read(form, `${MULTIPART}; boundary=${boundary}`), {
      image: { file: one },
      file: { file: two }
    })
  }, { arbitrary: { runs: runs(300) } })

  it.prop("is never read in part: what is cut off is a fault", [Schema.Int], ([random]) => {
    const form = formOf(part(`name="image"; filename="a"`, PNG), part(`name="conditions"`, "{}")).trimEnd()
    const length = Math.abs(random) % form.length
    assert.isString(read(form.slice(0, length)))
  }, { arbitrary: { runs: runs(300) } })

  it.prop("of any bytes is read or refused", [Content], ([parts]) => {
    const result = read(`--b1\r\n${part(`name="a"`, parts.join(""))}\r\n${parts.join("")}`)
    assert.isTrue(typeof result === "string" || typeof result === "object")
  }, { arbitrary: { runs: runs(300) } })
})
