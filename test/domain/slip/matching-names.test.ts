import { assert, describe, it } from "@effect/vitest"
import { compareNames } from "../../../domain/slip/matching/names.ts"
import { account, match, type ShownParts } from "./given-receiver.ts"

describe("a name on a slip", () => {
  it.each([
    ["the whole name", "นาย สมหมาย ทดสอบ", "นาย สมหมาย ทดสอบ"],
    ["the first letter of the surname", "นาย สมหมาย ท", "นาย สมหมาย ทดสอบ"],
    ["no surname", "นาย สมหมาย", "นาย สมหมาย ทดสอบ"],
    ["a surname where none is registered", "นาย สมหมาย ทดสอบ", "สมหมาย"],
    ["no title", "สมหมาย ทดสอบ", "นาย สมหมาย ทดสอบ"],
    ["a title where none is registered", "นาย สมหมาย ทดสอบ", "สมหมาย ทดสอบ"],
    ["another title", "ดร. สมหมาย ทดสอบ", "นาย สมหมาย ทดสอบ"],
    ["two titles", "นาย ดร. สมหมาย ทดสอบ", "สมหมาย ทดสอบ"],
    ["a title without a space", "นายสมหมาย ทดสอบ", "นาย สมหมาย ทดสอบ"],
    ["two titles without spaces", "นายดร.สมหมาย ทดสอบ", "สมหมาย ทดสอบ"],
    ["an abbreviated title", "น.ส. สุขใจ ท", "นางสาว สุขใจ ทดสอบ"],
    ["an abbreviated title without a space", "น.ส.สุขใจ ท", "นางสาวสุขใจ ทดสอบ"],
    ["an abbreviated title without dots", "นส สุขใจ", "น.ส. สุขใจ ทดสอบ"],
    ["a boy's title", "ด.ช.เก่ง ท", "เด็กชาย เก่ง ทดสอบ"],
    ["a girl's title", "ด.ญ. ดี ท", "เด็กหญิงดี ทดสอบ"],
    ["an officer's title", "ว่าที่ร้อยตรี สมหมาย ท", "ว่าที่ ร.ต. สมหมาย ทดสอบ"],
    ["an officer's title without a space", "ว่าที่ร้อยตรีสมหมาย ท", "สมหมาย ทดสอบ"],
    ["an officer's title with all spaces", "ว่าที่ ร้อยตรี หญิง สุขใจ ท", "สุขใจ ทดสอบ"],
    ["a name that begins like a title", "นางสาวิตรี ท", "นาง สาวิตรี ทดสอบ"],
    ["a name that is its own title", "นางฟ้า ท", "น.ส. นางฟ้า ทดสอบ"],
    ["more spaces", "  นาย   สมหมาย \u00a0 ทดสอบ ", "นาย สมหมาย ทดสอบ"],
    ["zero-width spaces", "นาย\u200b สม\u200bหมาย\ufeff ทดสอบ", "นาย สมหมาย ทดสอบ"],
    ["a decomposed SARA AM", "น.ส. นํ\u0e32ใจ", "น.ส. น\u0e33ใจ ตัวอย่าง"],
    ["a decomposed SARA AM behind its tone mark", "น.ส. น้\u0e4d\u0e32ใจ", "น.ส. น้\u0e33ใจ ตัวอย่าง"],
    ["a decomposed SARA AM around its tone mark", "น.ส. น\u0e4d้\u0e32ใจ", "น.ส. น้\u0e33ใจ ตัวอย่าง"],
    ["two SARA E for SARA AE", "นาง เเก้ว ท", "นาง แก้ว ทดสอบ"],
    ["letters with combining accents", "RENE\u0301 D", "RENÉ DUPONT"],
    ["small Latin letters", "Mr. Sommai Thotsop", "MR. SOMMAI THOTSOP"],
    ["a Latin title without dot", "MR SOMMAI T", "MR. SOMMAI THOTSOP"],
    ["a Latin title without a space", "MR.SOMMAI T", "SOMMAI THOTSOP"],
    ["a Latin title without dot and space", "MRSOMMAI T", "SOMMAI THOTSOP"],
    ["a Latin name that begins like a title", "MISSAK D", "MISSAK DRAKE"],
    ["Miss for Ms.", "MISS SUKJAI T", "MS. SUKJAI TUAYANG"],
    ["a truncated surname of several words", "สมหมาย ณ อยุ", "นาย สมหมาย ณ อยุธยา"],
    ["a company's whole name", "บริษัท ร้านค้าทดสอบ จำกัด", "บริษัท ร้านค้าทดสอบ จำกัด"],
    ["a company's name without its form", "ร้านค้าทดสอบ", "บริษัท ร้านค้าทดสอบ จำกัด"],
    ["a company's form without spaces", "บริษัทร้านค้าทดสอบจำกัด", "ร้านค้าทดสอบ"],
    ["a company's form in another way", "บจก.ร้านค้าทดสอบ", "บริษัท ร้านค้าทดสอบ จำกัด"],
    ["a public company", "บมจ. ร้านค้าทดสอบ", "บริษัท ร้านค้าทดสอบ จำกัด (มหาชน)"],
    ["a public company without spaces", "บริษัทร้านค้าทดสอบจำกัด(มหาชน)", "บมจ.ร้านค้าทดสอบ"],
    ["a partnership", "หจก. ร้านค้าทดสอบ", "ห้างหุ้นส่วนจำกัด ร้านค้าทดสอบ"],
    ["an English company", "TEST STORE CO., LTD.", "Test Store Company Limited"],
    ["an English company without spaces", "TEST STORE CO.,LTD.", "TEST STORE CO., LTD."],
    ["an English public company", "TEST STORE PCL", "TEST STORE PUBLIC COMPANY LIMITED"],
    ["an English partnership", "TEST STORE", "TEST STORE LIMITED PARTNERSHIP"],
    ["a truncated English company", "TEST STORE CO.,L", "TEST STORE CO., LTD."],
    ["letters masked by stars", "นาย สมห*** ท***", "นาย สมหมาย ทดสอบ"],
    ["letters masked by bullets", "SOMM•• T••", "MR. SOMMAI THOTSOP"],
    ["letters masked by x", "SOMMxx Txxx", "MR. SOMMAI THOTSOP"],
    ["Thai letters masked by one x", "นาย สมหxย ท", "นาย สมหมาย ทดสอบ"],
    ["letters masked in the middle", "S**MAI T*****P", "SOMMAI THOTSOP"],
    ["an X that is a letter", "MAX X", "MAX XAVIER"]
  ])("agrees: %s", (_, shown, registered) => {
    assert.strictEqual(compareNames(shown, registered), "agrees")
  })

  it.each([
    ["another first name", "นาย สมชาย ท", "นาย สมหมาย ทดสอบ"],
    ["the beginning of a first name", "นาย สม ท", "นาย สมหมาย ทดสอบ"],
    ["another surname", "นาย สมหมาย ทดลอง", "นาย สมหมาย ทดสอบ"],
    ["another first letter of the surname", "นาย สมหมาย จ", "นาย สมหมาย ทดสอบ"],
    ["initials under the same title", "นางสาว ก", "นางสาว กานดา ทดสอบ"],
    ["only the title in common", "นาย ส", "นาย สมหมาย ทดสอบ"],
    ["another company", "บริษัท ร้านอื่น จำกัด", "บริษัท ร้านค้าทดสอบ จำกัด"],
    ["only the form in common", "OTHER CO., LTD.", "TEST CO., LTD."],
    ["masked letters around another one", "นาย สมห*** จ***", "นาย สมหมาย ทดสอบ"],
    ["a masked first name that begins otherwise", "A*****", "SOMMAI THOTSOP"],
    ["a masked first name that ends otherwise", "SOMM*Z", "SOMMAI THOTSOP"],
    ["a masked first name with another middle", "SO*Z*AI", "SOMMAI THOTSOP"],
    ["an X that is a letter of another name", "SOMMAI X", "SOMMAI THOTSOP"]
  ])("differs: %s", (_, shown, registered) => {
    assert.strictEqual(compareNames(shown, registered), "differs")
  })

  it.each([
    ["nothing", "", "นาย สมหมาย ทดสอบ"],
    ["a company's form alone", "บริษัท จำกัด", "นาย สมหมาย ทดสอบ"],
    ["masked in full", "xxxx xxxx", "SOMMAI THOTSOP"],
    ["fewer than four letters visible", "นาย ส** ท**", "นาย สมหมาย ทดสอบ"],
    ["nothing registered", "SOMMAI", " "]
  ])("is unclear: %s", (_, shown, registered) => {
    assert.strictEqual(compareNames(shown, registered), "unclear")
  })
})

describe("the two names of an account", () => {
  const known = account({
    bankCode: "002",
    extraVerify: "NAME",
    nameTh: "นาย สมหมาย ทดสอบ",
    nameEn: "MR. SOMMAI THOTSOP"
  })
  const verdictOf = (shown: ShownParts, of = known) => match(shown, [of]).verdict

  it.each([
    ["both agree", { th: "นาย สมหมาย ท", en: "MR. SOMMAI T" }],
    ["the Thai one agrees", { th: "นาย สมหมาย ท", en: "MR. OTHER T" }],
    ["the English one agrees", { th: "นาย คนอื่น ท", en: "MR. SOMMAI T" }],
    ["the English one is given alone", { en: "MR. SOMMAI T" }],
    ["the English one is given as the Thai one", { th: "MR. SOMMAI T" }]
  ])("match when %s", (_, shown) => {
    assert.strictEqual(verdictOf(shown), "match")
  })

  it("exclude the account when both differ", () => {
    assert.strictEqual(verdictOf({ th: "นาย คนอื่น ท", en: "MR. OTHER T" }), "no_match")
  })

  it("give no verdict when the slip has no name in a language of the account", () => {
    assert.strictEqual(verdictOf({ en: "MR. SOMMAI T" }, { ...known, nameEn: null }), "indeterminate")
    assert.strictEqual(verdictOf({}), "indeterminate")
  })
})

describe("any honorific or company word", () => {
  const thai = ["นาย", "นาง", "นางสาว", "น.ส.", "ด.ช.", "ด.ญ.", "ดร.", "ว่าที่ร้อยตรี"]
  const latin = ["MR", "MRS", "MISS", "MS", "MASTER", "DR"]
  const behind = ["จำกัด", "(มหาชน)", "จำกัด (มหาชน)", "CO., LTD.", "PCL", "LIMITED PARTNERSHIP"]
  const front = ["บริษัท", "บจก.", "บจ.", "บมจ.", "หจก.", "ห้างหุ้นส่วนจำกัด"]

  it.each([...thai, ...latin, ...front])("is not part of the name, with or without a following space: %s", (word) => {
    for (const shown of [`${word} สมหมาย ท`, `${word}สมหมาย ท`]) {
      assert.strictEqual(compareNames(shown, "สมหมาย ทดสอบ"), "agrees", shown)
      assert.strictEqual(compareNames("สมหมาย ท", shown), "agrees", shown)
    }
  })

  it.each(behind)("is not part of the name: %s", (word) => {
    assert.strictEqual(compareNames(`ทดสอบ ${word}`, "ทดสอบ"), "agrees")
    assert.strictEqual(compareNames("ทดสอบ ส", `ทดสอบ สาขา ${word}`), "agrees")
  })
})
