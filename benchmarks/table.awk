# table.awk - lays out lines of flat JSON, {"key": value, ...}, as a table: a header whenever the keys
# change, texts to the left, numbers to the right, true and false as yes and no.
function width(column, text) {
    if (!(column in widths) || widths[column] < length(text))
        widths[column] = length(text)
    return widths[column]
}

# Splits the line into keys[1..n] and values[1..n]. No text of ours holds a quotation mark.
function split_line(line,    n) {
    n = 0
    while (match(line, /"[^"]*": *("[^"]*"|[^,}]*)/)) {
        n++
        pair = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        match(pair, /": */)
        keys[n] = substr(pair, 2, RSTART - 2)
        values[n] = substr(pair, RSTART + RLENGTH)
        is_text[n] = values[n] ~ /^"/
        gsub(/"/, "", values[n])
        if (values[n] == "true") values[n] = "yes"
        if (values[n] == "false") values[n] = "no"
    }
    return n
}

{
    count = split_line($0)
    header = ""
    for (i = 1; i <= count; i++)
        header = header keys[i] ","
    if (header != last) {
        delete widths
        for (i = 1; i <= count; i++)
            width(i, keys[i])
        width(1, sprintf("%46s", ""))
        line = ""
        for (i = 1; i <= count; i++)
            line = line sprintf(is_text[i] && i < 3 ? "%-*s  " : "%*s  ", width(i, values[i]), keys[i])
        print line
        last = header
    }
    line = ""
    for (i = 1; i <= count; i++)
        line = line sprintf(is_text[i] && i < 3 ? "%-*s  " : "%*s  ", width(i, values[i]), values[i])
    print line
    fflush()
}
