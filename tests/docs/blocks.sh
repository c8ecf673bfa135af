# blocks.sh - the fenced code blocks of a document, as files. Sourced.

# split_blocks DOCUMENT FOLDER: writes FOLDER/NNN.LANGUAGE for each fenced block, in their order.
split_blocks() {
    mkdir -p "$2"
    awk -v folder="$2" '
        /^```/ && file { close(file); file = ""; next }
        /^```./ { file = sprintf("%s/%03d.%s", folder, ++count, substr($0, 4)); printf "" >file; next }
        /^```/ { file = "/dev/null"; next }
        file { print >file }' "$1"
}
