#if !PLANTED_BUG
    let rulesUnderTest = ReaderRules()
#endif
