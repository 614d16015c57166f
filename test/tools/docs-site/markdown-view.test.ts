import { assert, describe, it } from "@effect/vitest"
import { markup } from "../../../infrastructure/web/pages/html.ts"
import { renderDocument } from "../../../tools/docs-site/markdown-view.ts"

const rendered = (text: string, resolve: (href: string) => string | undefined = (href) => href) => {
  const { content, ...rest } = renderDocument(text, resolve)
  return { ...rest, html: markup`${content}`.html }
}

describe("renderDocument", () => {
  it("escapes HTML in text, links, tables, lists and code", () => {
    const hostile = "<img src=x onerror=alert(1)>"
    const text = [
      `# ${hostile}`,
      `a ${hostile} *b* [${hostile}](#a "${hostile}")`,
      `- ${hostile}`,
      `| ${hostile} |\n|---|\n| ${hostile} |`,
      `> ${hostile}`,
      hostile,
      `\`${hostile}\``,
      `\`\`\`sh\n${hostile}\n\`\`\``,
      `![${hostile}](x.png)`
    ].join("\n\n")
    const { html } = rendered(text)
    assert.notInclude(html, "<img")
    assert.isAtLeast(html.split("&lt;img").length, 9)
  })

  it("resolves links, and shows those without a page as text", () => {
    const { html } = rendered("[A](a.md#x), [B](b.md)", (href) => href.startsWith("a.md") ? "/docs/a#x" : undefined)
    assert.include(html, `<a href="/docs/a#x">A</a>`)
    assert.include(html, `<span title="b.md, in the repository">B</span>`)
  })

  it("gives headings the anchors of GitHub, and numbers equal ones", () => {
    const { html, sections, title } = rendered("# T\n\n## `POST /v2/x`: a, b\n\nText.\n\n## Same\n\n## Same")
    assert.strictEqual(title, "T")
    assert.deepStrictEqual(sections.map(({ id }) => id), ["", "post-v2x-a-b", "same", "same-1"])
    assert.strictEqual(sections[1]?.prose.trim(), "Text.")
    for (const { id } of sections.slice(1)) assert.include(html, `id="${id}"`)
  })

  it("joins examples of different languages that follow each other", () => {
    const example = (name: string, lang: string) =>
      `[\`examples/${name}\`](examples/${name})\n\n\`\`\`${lang}\n${name}\n\`\`\``
    const { html } = rendered([example("a.sh", "sh"), example("a.php", "php"), example("b.php", "php")].join("\n\n"))
    assert.strictEqual(html.split(`<div class="tabs">`).length, 3)
    assert.strictEqual(html.split(`type="radio"`).length, 4)
    assert.strictEqual(html.split(" checked").length, 3)
  })
})
