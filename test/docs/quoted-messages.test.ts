import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pageText } from "./shown-examples.ts"
import { runbooks } from "./watching/operations.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The product's code, with the parts of concatenated and conditional texts joined. */
const code = ["application", "infrastructure", "projections"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(root, folder, file), "utf8"))
).join("\n").replaceAll(/["`]\s*\+\s*["`]|"\}/gu, "")

/** The fixed parts of a quoted message; `…` and numbers are its variable parts. */
const fixedParts = (message: string): ReadonlyArray<string> =>
  message.split(/…|\b\d+\b/u).map((part) => part.replaceAll(/^[\s(),:]+|[\s(),:]+$/gu, "")).filter((part) =>
    part.length > 7
  )

const messagesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/`([^`\n]+)`/gu), ([, message = ""]) => message)
    .filter((message) => message.includes(" ") && !/^(?:npx|[A-Z]{2})/u.test(message))

describe("messages that documents quote", () => {
  it.each([...runbooks])("of the log in the runbook %s exist in the code", (_, text) => {
    const lines = text.split("\n").filter((line) => /\bthe log\b.*`|^- `[A-Z]/iu.test(line)).join("\n")
    for (const part of messagesIn(lines).flatMap(fixedParts)) assert.isTrue(code.includes(part), part)
  })

  it("of trail verify in docs/proof.md exist in the code", () => {
    const [, table = ""] = pageText("proof.md").split("| Finding | Meaning |")
    const findings = table.split("\n\n")[0]?.split("\n").flatMap((line) => messagesIn(line.split("|")[1] ?? "")) ?? []
    assert.isAbove(findings.length, 8)
    for (const part of findings.flatMap(fixedParts)) assert.isTrue(code.includes(part), part)
  })
})
